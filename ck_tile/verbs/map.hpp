// SPDX-License-Identifier: MIT
// The verbs that work element by element: map, generate, convert; and rearrange and renumber, which rename a thread's registers.
#pragma once

#include "ck_tile/verbs/broadcast.hpp"

#include <type_traits>
#include <utility>

namespace ck_tile
{

// No verb that sets elements is constexpr: of a `const auto` tile compilers evaluate it as a constant, and clang 22 ends with a signal
// where an element of a vector is set that has none yet.

// f applied to each element of a tile, or to those at the same place of several tiles: of one distribution, or of ones that broadcast to the
// first tile's, as rows and what reduce() gives do.
template <class F, class T, distribution D, class... More, distribution... Others>
CK_TILE_FN auto map(F&& f, const tile<T, D>& x, const tile<More, Others>&... more)
{
    static_assert(
        (... && broadcasts_to<Others, D>),
        "map: further tiles must be distributed as the first one, or have what its threads need of them: distribute "
        "those of length 1 along a dimension as reduced<D, Dim>");
    tile<std::remove_cvref_t<decltype(f(x.files[0].get(0, 0), more.files[0].get(0, 0)...))>, D> y;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) {
            y.file_of(t).set(r, v, f(x.file_of(t).get(r, v), detail::element_for<D>(more, t, r, v)...));
        });
    });
    return y;
}

namespace detail
{
// How many coordinates f takes.
template <class F>
inline constexpr int coordinates_of = std::is_invocable_v<F&, int>        ? 1
                                      : std::is_invocable_v<F&, int, int> ? 2
                                                                          : 3;
} // namespace detail

// The tile whose element at (i, j) is f(i, j), or of as many dimensions as f takes coordinates of: one to three.
template <class T, distribution D, class F>
CK_TILE_FN tile<T, D> generate(F&& f)
{
    constexpr int rank = detail::coordinates_of<F>;
    static_assert(rank < 3 || std::is_invocable_v<F&, int, int, int>,
                  "generate: the function takes one to three coordinates");
    static_assert(detail::fits_rank(D, rank),
                  "generate: the tile has more dimensions than the function takes coordinates");
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) {
            [&]<std::size_t... d>(const multi_index<rank>& at, std::index_sequence<d...>) {
                y.file_of(t).set(r, v, convert<T>(f(at[d]...)));
            }(coordinates<D, rank>(t, r, v), std::make_index_sequence<rank>{});
        });
    });
    return y;
}

template <class T, distribution D>
CK_TILE_FN constexpr tile<T, D> fill(T value)
{
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        register_for<D.regs()>([&](auto r) { y.file_of(t).reg[r] = __builtin_bit_cast(storage_t<T>, value); });
    });
    return y;
}

// The tile in another element type, rounded to nearest, ties to even.
template <class To, class From, distribution D>
CK_TILE_FN tile<To, D> convert(const tile<From, D>& x)
{
    return map([](From e) { return convert<To>(e); }, x);
}

namespace detail
{
// Coordinates in one number, and those of sums are sums of numbers.
constexpr long long coord_number(multi_index<3> at) { return ((at[0] * (1LL << 20)) + at[1]) * (1LL << 20) + at[2]; }

// Where each element of a thread lies, from the thread's first, if a step along dimension d counts as step[d].
template <distribution D>
constexpr auto coords_of_thread(multi_index<3> step = {1, 1, 1})
{
    constants<long long, D.regs() * D.vecs()> coords;
    for(int r = 0; r < D.regs(); ++r)
        for(int v = 0; v < D.vecs(); ++v)
        {
            multi_index<3> at;
            for(int d = 0; d < distribution::max_rank; ++d)
                at[d] = step[d] * (D.reg.along(d, r) + D.vec.along(d, v));
            coords.values[r * D.vecs() + v] = coord_number(at);
        }
    return coords;
}

template <distribution D>
inline constexpr auto coords_of = coords_of_thread<D>();

// For each place that is wanted, which of a thread's it is: -1 if none.
template <int Have, int Wanted>
constexpr auto find_coords(const constants<long long, Have>& have, const constants<long long, Wanted>& wanted)
{
    constants<int, Wanted> found;
    for(int i = 0; i < Wanted; ++i)
    {
        found.values[i] = Have - 1;
        while(found.values[i] >= 0 && have.values[found.values[i]] != wanted.values[i])
            --found.values[i];
    }
    return found;
}

// Which of the elements that a thread holds in one distribution are those that it holds in another.
template <distribution From, distribution To>
inline constexpr auto register_map_of = find_coords(coords_of<From>, coords_of<To>);

template <distribution From, distribution To>
constexpr bool same_owners()
{
    if(From.cluster != To.cluster || From.wave != To.wave || From.lane != To.lane ||
       From.regs() * From.vecs() != To.regs() * To.vecs())
        return false;
    for(int from : register_map_of<From, To>.values)
        if(from < 0)
            return false;
    return true;
}
} // namespace detail

// The same tile in a distribution that gives each thread the same elements in another order, as when vectors along rows
// become vectors along columns. Nothing moves between threads.
template <distribution To, class T, distribution From>
CK_TILE_FN tile<T, To> rearrange(const tile<T, From>& x)
{
    static_assert(detail::same_owners<From, To>(), "rearrange: each thread must own the same elements in both "
                                                   "distributions; go through LDS to move elements between threads");
    tile<T, To> y;
    if constexpr(joins_halves && sizeof(T) == 2 && From.vecs() % 2 == 0 && To.vecs() % 2 == 0 && From.vec != To.vec)
        // Two elements at once: compilers join halves of words by two instructions, or in ways of their own.
        static_for<To.regs()>([&](auto r) {
            vector<unsigned, To.vecs() / 2> words;
            static_for<To.vecs() / 2>([&](auto w) {
                constexpr const auto& map = detail::register_map_of<From, To>.values;
                constexpr int low = map[r * To.vecs() + 2 * w], high = map[r * To.vecs() + 2 * w + 1];
                const auto word = [&](int element) {
                    const auto all =
                        __builtin_bit_cast(vector<unsigned, From.vecs() / 2>, x.files[0].reg[element / From.vecs()]);
                    return all[element % From.vecs() / 2];
                };
                words[int(w)] = join_halves<low % 2, high % 2>(word(low), word(high));
            });
            y.files[0].reg[r] = __builtin_bit_cast(typename tile<T, To>::registers, words);
        });
    else
        for_each_thread<To>([&](thread t) {
            register_for<To.regs() * To.vecs()>([&](auto i) {
                const int from = entry<detail::register_map_of<From, To>>(i);
                y.file_of(t).reg[i / To.vecs()][i % To.vecs()] =
                    x.file_of(t).reg[from / From.vecs()][from % From.vecs()];
            });
        });
    return y;
}

// What each thread holds, as another tile of which it has as many elements: its element i is what its element i was. Nothing moves.
template <distribution To, class T, distribution From>
CK_TILE_FN tile<T, To> renumber(const tile<T, From>& x)
{
    static_assert(From.regs() * From.vecs() == To.regs() * To.vecs() && From.threads() == To.threads(),
                  "renumber: both distributions must have as many threads, and elements of a thread");
    tile<T, To> y;
    for_each_thread<To>([&](thread t) {
        register_for<To.regs() * To.vecs()>([&](auto i) {
            y.file_of(t).reg[i / To.vecs()][i % To.vecs()] = x.file_of(t).reg[i / From.vecs()][i % From.vecs()];
        });
    });
    return y;
}

} // namespace ck_tile
