// SPDX-License-Identifier: MIT
// Arithmetic under a condition, for inner loops that are bound by instructions.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// sum + x if a == b, else the sum as it is. NVIDIA GPUs predicate the addition. Their compiler would add, select, and move all
// loads in front of that, which costs the registers that the sums need.
CK_TILE_FN float add_if_equal(float sum, float x, int a, int b)
{
#if defined(__NVPTX__)
    asm("{.reg .pred p; setp.eq.s32 p, %2, %3; @p add.f32 %0, %0, %1;}" : "+f"(sum) : "f"(x), "r"(a), "r"(b));
    return sum;
#else
    return a == b ? sum + x : sum;
#endif
}

} // namespace ck_tile
