// SPDX-License-Identifier: MIT
// The verbs part and set_part: some of each thread's registers as a tile of their own, and back. Nothing moves.
//
// A part is a distribution whose ranks, waves and lanes are those of the whole. Of what a thread has, the part's element (i, j, k)
// lies at At + (i, j, k) * Step of the whole: so parts are slices, shifted vectors, every other element.
//
//   constexpr distribution fours = {.lengths = {64, 4}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{4, 1, 1}}};
//   constexpr distribution twos  = {.lengths = {64, 2}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{2, 1, 1}}};
//   const tile<float, twos> even = part<twos, multi_index{0, 0, 0}, multi_index{1, 2, 1}>(x);    // columns 0 and 2 of x
#pragma once

#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

namespace detail
{
// For each element that a thread holds in `Part`: which of its elements in `Whole` that is.
template <distribution Whole, distribution Part, multi_index<3> At, multi_index<3> Step>
inline constexpr auto part_map = [] {
    auto places = places_of_thread<Part>(Step);
    for(long long& place : places.of)
        place += place_number(At);
    return find_places(places_of<Whole>, places);
}();

template <distribution Whole, distribution Part, multi_index<3> At, multi_index<3> Step>
constexpr bool is_part()
{
    for(int from : part_map<Whole, Part, At, Step>.of)
        if(from < 0)
            return false;
    return Whole.cluster == Part.cluster && Whole.wave == Part.wave && Whole.lane == Part.lane;
}
} // namespace detail

inline constexpr multi_index<3> next_to_each_other = {1, 1, 1};

// The part of the whole that lies at `At`.
template <distribution Part, multi_index<3> At, multi_index<3> Step = next_to_each_other, class T, distribution Whole>
CK_TILE_FN constexpr tile<T, Part> part(const tile<T, Whole>& whole)
{
    static_assert(detail::is_part<Whole, Part, At, Step>(),
                  "part: each thread must own the part's elements in the whole too; "
                  "go through LDS to move elements between threads");
    tile<T, Part> some;
    for_each_thread<Part>([&](thread t) {
        register_for<Part.regs() * Part.vecs()>([&](auto i) {
            const int from = entry<detail::part_map<Whole, Part, At, Step>>(i);
            some.of(t).reg[i / Part.vecs()][i % Part.vecs()] =
                whole.of(t).reg[from / Whole.vecs()][from % Whole.vecs()];
        });
    });
    return some;
}

// Writes a part into the whole at `At`.
template <multi_index<3> At, multi_index<3> Step = next_to_each_other, class T, distribution Whole, distribution Part>
CK_TILE_FN constexpr void set_part(tile<T, Whole>& whole, const tile<T, Part>& some)
{
    static_assert(detail::is_part<Whole, Part, At, Step>(),
                  "set_part: each thread must own the part's elements in the whole too; "
                  "go through LDS to move elements between threads");
    for_each_thread<Part>([&](thread t) {
        register_for<Part.regs() * Part.vecs()>([&](auto i) {
            const int to                                          = entry<detail::part_map<Whole, Part, At, Step>>(i);
            whole.of(t).reg[to / Whole.vecs()][to % Whole.vecs()] = some.of(t).reg[i / Part.vecs()][i % Part.vecs()];
        });
    });
}

} // namespace ck_tile
