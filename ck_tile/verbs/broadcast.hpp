// SPDX-License-Identifier: MIT
// The verb broadcast_row: a row as if all rows of a tile were like it, as a bias per column is. Nothing moves between threads.
//
//   constexpr distribution row = one_row<D>;                       // [1, columns], as D distributes each of its rows
//   const tile<float, D> x = broadcast_row<D>(load(make_window<row>(view, origin)));
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// One row of a distribution of rows and columns: a thread has one element for each of its columns.
template <distribution D>
inline constexpr distribution one_row = [] {
    const auto still = [](digits some) {
        for(int i = 0; i < some.count; ++i)
            if(some.at[i].moves_along(0))
                some.at[i] = {some.at[i].extent};
        return some;
    };
    distribution d = D;
    d.lengths[0]   = 1;
    d.cluster = still(d.cluster), d.wave = still(d.wave), d.lane = still(d.lane);
    d.reg = d.reg.only(1), d.vec = d.vec.only(1);
    return d;
}();

namespace detail
{
// Which of a thread's columns each of its registers, and each of the elements of one, is in.
template <distribution D>
inline constexpr auto column_registers = [] {
    constants<int, D.regs()> all;
    for(int r = 0; r < D.regs(); ++r)
        all.values[r] = D.reg.number_in(1, r);
    return all;
}();
template <distribution D>
inline constexpr auto column_vectors = [] {
    constants<int, D.vecs()> all;
    for(int v = 0; v < D.vecs(); ++v)
        all.values[v] = D.vec.number_in(1, v);
    return all;
}();
} // namespace detail

template <distribution D, class T>
CK_TILE_FN tile<T, D> broadcast_row(const tile<T, one_row<D>>& row)
{
    tile<T, D> all;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) {
            all.file_of(t).set(
                r, v, row.file_of(t).get(entry<detail::column_registers<D>>(r), entry<detail::column_vectors<D>>(v)));
        });
    });
    return all;
}

} // namespace ck_tile
