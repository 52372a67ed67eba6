// SPDX-License-Identifier: MIT
// Division by a number that many threads divide by: a multiplication and a shift, worked out once on the host.
#pragma once

#include "ck_tile/targets/execution.hpp"

#include <cstdint>

namespace ck_tile
{

// n / divisor for 0 <= n < 2^31: (n * magic) >> shift, with magic = floor(2^shift / divisor) + 1 and shift = 31 + bits of
// divisor - 1 (Granlund and Montgomery, Division by invariant integers using multiplication, 1994).
struct divider
{
    int divisor         = 1;
    unsigned shift      = 31;
    std::uint32_t magic = 0x80000001u;

    constexpr divider() = default;
    constexpr divider(int by) : divisor(by), shift(31)
    {
        while((std::uint64_t(1) << (shift - 31)) < std::uint64_t(by))
            ++shift;
        magic = static_cast<std::uint32_t>((std::uint64_t(1) << shift) / static_cast<std::uint64_t>(by) + 1);
    }

    friend CK_TILE_FN constexpr int operator/(int n, const divider& by)
    {
        if(__builtin_constant_p(by.divisor)) // compilers that know what they divide by do as well or better
            return static_cast<int>(static_cast<unsigned>(n) / static_cast<unsigned>(by.divisor));
        // The upper word of twice n: a product and a shift of 32 bits.
        return static_cast<int>(static_cast<std::uint32_t>(std::uint64_t(unsigned(n) << 1) * by.magic >> 32) >>
                                (by.shift - 31));
    }
    friend CK_TILE_FN constexpr int operator%(int n, const divider& by) { return n - n / by * by.divisor; }
};

// A length that nothing is divided by.
CK_TILE_FN constexpr divider undivided(int length)
{
    divider d;
    d.divisor = length;
    return d;
}

// Lengths that are divided by.
template <int N>
struct dividers
{
    divider values[N];

    CK_TILE_FN constexpr divider& operator[](int i) { return values[i]; }
    CK_TILE_FN constexpr const divider& operator[](int i) const { return values[i]; }
};

template <int N>
CK_TILE_FN constexpr int product(const dividers<N>& all)
{
    int result = 1;
    CK_TILE_UNROLL
    for(int i = 0; i < N; ++i)
        result *= all[i].divisor;
    return result;
}

// A length, given either way.
CK_TILE_FN constexpr int length_of(int length) { return length; }
CK_TILE_FN constexpr int length_of(const divider& by) { return by.divisor; }

} // namespace ck_tile
