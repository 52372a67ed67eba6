// SPDX-License-Identifier: MIT
// Where there are no asynchronous copies to LDS: what is copied goes through registers.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

inline constexpr bool has_async_copies = false;

template <class Range>
CK_TILE_FN void copy_line(void*, const Range&, unsigned)
{
}
CK_TILE_FN void commit_copies() {}
template <int Batches>
CK_TILE_FN void wait_for_copies()
{
}
CK_TILE_FN void see_copies() {}
CK_TILE_FN void prefetch_run(const void*, int) {}

} // namespace ck_tile
