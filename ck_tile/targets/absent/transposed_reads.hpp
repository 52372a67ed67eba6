// SPDX-License-Identifier: MIT
// Of architectures whose LDS gives a lane the elements of one row at once: see primitives.hpp.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

inline constexpr bool has_transposed_reads = false;
CK_TILE_FN void read_transposed(unsigned (&)[4], const void*) {}
template <int Squares>
CK_TILE_FN void read_squares(unsigned (&)[Squares], unsigned)
{
}

} // namespace ck_tile
