// SPDX-License-Identifier: MIT
// Copies to LDS on the CPU go through registers, and are done at once. The checker is told when they would be on the architecture whose
// program this is.
#pragma once

#include "ck_tile/targets/host/program_check.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

inline constexpr bool has_async_copies = false;

template <class Range>
void copy_line(void*, const Range&, unsigned)
{
}
inline void commit_copies()
{
    tell_checker([](program_checker& c) { c.commit_copies(); });
}
template <int Batches>
void wait_for_copies()
{
    tell_checker([](program_checker& c) { c.wait_for_copies(Batches); });
}
inline void see_copies() {}
inline void prefetch_run(const void*, int) {}

} // namespace ck_tile
