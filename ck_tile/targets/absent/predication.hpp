// SPDX-License-Identifier: MIT
// Where the compiler needs no help with an addition under a condition, and no instruction compares as NaNs are to be.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

CK_TILE_FN float add_if_equal(float sum, float x, int a, int b) { return a == b ? sum + x : sum; }
CK_TILE_FN float larger(float x, float y) { return x < y ? y : x; }
CK_TILE_FN float smaller(float x, float y) { return x > y ? y : x; }

inline constexpr bool compares_halves = false;
template <bool Bf16>
unsigned larger_halves(unsigned x, unsigned y);
template <bool Bf16>
unsigned smaller_halves(unsigned x, unsigned y);

CK_TILE_FN bool take_larger(float& most, float x)
{
    const bool taken = (x > most) | (x != x);
    most             = taken ? x : most;
    return taken;
}

template <bool Bf16>
CK_TILE_FN void take_larger_halves(unsigned& most, unsigned& at, unsigned x, unsigned from)
{
    const auto number = [](unsigned word, int shift) -> float {
        const auto bits = static_cast<unsigned short>(word >> shift);
        if constexpr(Bf16)
            return __builtin_bit_cast(float, unsigned(bits) << 16);
        else
            return static_cast<float>(__builtin_bit_cast(_Float16, bits));
    };
    for(int shift = 0; shift < 32; shift += 16)
    {
        const float mine = number(most, shift), other = number(x, shift);
        const unsigned half = 0xffffu << shift;
        at                  = other > mine ? (at & ~half) | (from & half) : at;
        most                = other > mine || other != other ? (most & ~half) | (x & half) : most;
    }
}

} // namespace ck_tile
