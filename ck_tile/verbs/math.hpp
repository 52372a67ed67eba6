// SPDX-License-Identifier: MIT
// The verbs max, min, exp2 and where: what map() would do with one of these functions, by its name.
//
//   const auto top = reduce<1>(in, x, largest);               // of each row
//   const auto e   = exp2(map(minus, x, top));
//   const auto low = where([](int row, int col) { return col <= row; }, scores, -infinity);
#pragma once

#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

// The larger, the smaller of two numbers; NaN if one is. Functions to reduce() by.
inline constexpr auto largest = [](auto x, auto y) {
    if constexpr(std::is_same_v<decltype(x), float> && std::is_same_v<decltype(y), float>)
        return __builtin_elementwise_maximum(x, y); // one instruction, where there is one that knows NaN
    else
        return x != x ? x : x > y ? x : y;
};
inline constexpr auto smallest = [](auto x, auto y) {
    if constexpr(std::is_same_v<decltype(x), float> && std::is_same_v<decltype(y), float>)
        return __builtin_elementwise_minimum(x, y);
    else
        return x != x ? x : x < y ? x : y;
};
inline constexpr auto plus = [](auto x, auto y) { return x + y; };

// Element by element; `y` has the distribution of `x`, or one that broadcasts to it.
template <class T, distribution D, distribution E>
CK_TILE_FN tile<T, D> max(const tile<T, D>& x, const tile<T, E>& y)
{
    return map(largest, x, y);
}
template <class T, distribution D, distribution E>
CK_TILE_FN tile<T, D> min(const tile<T, D>& x, const tile<T, E>& y)
{
    return map(smallest, x, y);
}

// 2^x of each element, within a few units in the last place, as approximate_exp2().
template <distribution D>
CK_TILE_FN tile<float, D> exp2(const tile<float, D>& x)
{
    return map([](float element) { return approximate_exp2(element); }, x);
}

// The elements of x at whose coordinates in the tile, one to three, the condition holds, and `otherwise` at all others: a mask that takes no
// registers.
template <class T, distribution D, class Condition>
CK_TILE_FN tile<T, D> where(Condition&& holds, const tile<T, D>& x, T otherwise)
{
    constexpr int rank = detail::coordinates_of<Condition>;
    static_assert(detail::fits_rank(D, rank),
                  "where: the tile has more dimensions than the condition takes coordinates");
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) {
            [&]<std::size_t... d>(const multi_index<rank>& at, std::index_sequence<d...>) {
                y.file_of(t).set(r, v, holds(at[d]...) ? x.file_of(t).get(r, v) : otherwise);
            }(coordinates<D, rank>(t, r, v), std::make_index_sequence<rank>{});
        });
    });
    return y;
}

} // namespace ck_tile
