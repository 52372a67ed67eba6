// SPDX-License-Identifier: MIT
// The verbs subtile and set_subtile: some of each thread's registers as a tile of their own, and back. Nothing moves.
//
// The distribution of a subtile has the ranks, waves and lanes of the whole. Element (i, j, k) of what a thread has of the subtile
// lies at At + (i, j, k) * Step in what it has of the whole: so subtiles are slices, shifted vectors, every other element.
//
//   constexpr distribution fours = {.lengths = {64, 4}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{4, 1, 1}}};
//   constexpr distribution twos  = {.lengths = {64, 2}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{2, 1, 1}}};
//   const tile<float, twos> even = subtile<twos, multi_index{0, 0, 0}, multi_index{1, 2, 1}>(x);    // columns 0 and 2 of x
#pragma once

#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

namespace detail
{
// For each element that a thread holds in `Part`: which of its elements in `Whole` that is.
template <distribution Whole, distribution Subtile, multi_index<3> At, multi_index<3> Step>
inline constexpr auto subtile_map = [] {
    auto coords = coords_of_thread<Subtile>(Step);
    for(long long& coord : coords.values)
        coord += coord_number(At);
    return find_coords(coords_of<Whole>, coords);
}();

template <distribution Whole, distribution Subtile, multi_index<3> At, multi_index<3> Step>
constexpr bool is_subtile()
{
    for(int from : subtile_map<Whole, Subtile, At, Step>.values)
        if(from < 0)
            return false;
    return Whole.cluster == Subtile.cluster && Whole.wave == Subtile.wave && Whole.lane == Subtile.lane;
}
} // namespace detail

inline constexpr multi_index<3> next_to_each_other = {1, 1, 1};

// The subtile of the whole that lies at `At`.
template <distribution Subtile, multi_index<3> At, multi_index<3> Step = next_to_each_other, class T,
          distribution Whole>
CK_TILE_FN tile<T, Subtile> subtile(const tile<T, Whole>& whole)
{
    static_assert(detail::is_subtile<Whole, Subtile, At, Step>(),
                  "subtile: each thread must own the subtile's elements in the whole too; "
                  "go through LDS to move elements between threads");
    tile<T, Subtile> some;
    for_each_thread<Subtile>([&](thread t) {
        register_for<Subtile.regs() * Subtile.vecs()>([&](auto i) {
            const int from = entry<detail::subtile_map<Whole, Subtile, At, Step>>(i);
            some.file_of(t).reg[i / Subtile.vecs()][i % Subtile.vecs()] =
                whole.file_of(t).reg[from / Whole.vecs()][from % Whole.vecs()];
        });
    });
    return some;
}

// Writes a subtile into the whole at `At`.
template <multi_index<3> At, multi_index<3> Step = next_to_each_other, class T, distribution Whole,
          distribution Subtile>
CK_TILE_FN void set_subtile(tile<T, Whole>& whole, const tile<T, Subtile>& some)
{
    static_assert(detail::is_subtile<Whole, Subtile, At, Step>(),
                  "set_subtile: each thread must own the subtile's elements in the whole too; "
                  "go through LDS to move elements between threads");
    for_each_thread<Subtile>([&](thread t) {
        register_for<Subtile.regs() * Subtile.vecs()>([&](auto i) {
            const int to = entry<detail::subtile_map<Whole, Subtile, At, Step>>(i);
            whole.file_of(t).reg[to / Whole.vecs()][to % Whole.vecs()] =
                some.file_of(t).reg[i / Subtile.vecs()][i % Subtile.vecs()];
        });
    });
}

} // namespace ck_tile
