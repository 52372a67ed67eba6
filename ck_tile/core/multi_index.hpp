// SPDX-License-Identifier: MIT
// A point, an extent or a step in a space of N dimensions.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// Coordinates of positions beyond a tensor may be any: they wrap around, and are not used.
CK_TILE_FN constexpr int wrapped_sum(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
CK_TILE_FN constexpr int wrapped_difference(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
}

CK_TILE_FN constexpr int wrapped_product(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
}

template <int N>
struct multi_index
{
    int at[N > 0 ? N : 1] = {};

    CK_TILE_FN constexpr int& operator[](int d) { return at[d]; }
    CK_TILE_FN constexpr int operator[](int d) const { return at[d]; }

    friend CK_TILE_FN constexpr multi_index operator+(multi_index a, const multi_index& b)
    {
        CK_TILE_UNROLL
        for(int d = 0; d < N; ++d)
            a[d] = wrapped_sum(a[d], b[d]);
        return a;
    }

    friend CK_TILE_FN constexpr multi_index operator-(multi_index a, const multi_index& b)
    {
        CK_TILE_UNROLL
        for(int d = 0; d < N; ++d)
            a[d] = wrapped_difference(a[d], b[d]);
        return a;
    }

    friend constexpr bool operator==(const multi_index&, const multi_index&) = default;
};

template <class... I>
multi_index(I...) -> multi_index<sizeof...(I)>;

template <int N>
CK_TILE_FN constexpr int product(const multi_index<N>& lengths)
{
    int result = 1;
    CK_TILE_UNROLL
    for(int d = 0; d < N; ++d)
        result *= lengths[d];
    return result;
}

template <class A, class B>
CK_TILE_FN constexpr auto ceil_div(A a, B b)
{
    return (a + b - 1) / b;
}

constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

} // namespace ck_tile
