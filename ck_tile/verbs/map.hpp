// SPDX-License-Identifier: MIT
// The verbs that work element by element: map, generate, convert; and rearrange, which renames a thread's registers.
#pragma once

#include "ck_tile/core/tile.hpp"

#include <utility>

namespace ck_tile
{

// f applied to each element (and to the element at the same place of further tiles of the same distribution).
template <class F, class T, distribution D, class... More>
CK_TILE_FN constexpr auto map(F&& f, const tile<T, D>& x, const tile<More, D>&... more)
{
    tile<std::remove_cvref_t<decltype(f(x.files[0].get(0, 0), more.files[0].get(0, 0)...))>, D> y;
    for_each_thread<D>([&](thread t) {
        static_for<D.regs()>([&](auto r) {
            static_for<D.vecs()>([&](auto v) { y.of(t).set(r, v, f(x.of(t).get(r, v), more.of(t).get(r, v)...)); });
        });
    });
    return y;
}

// The tile whose element at (i, j) is f(i, j), and likewise for other ranks.
template <class T, distribution D, int Rank, class F>
CK_TILE_FN constexpr tile<T, D> generate(F&& f)
{
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        static_for<D.regs()>([&](auto r) {
            static_for<D.vecs()>([&](auto v) {
                [&]<std::size_t... d>(std::index_sequence<d...>) {
                    y.of(t).set(
                        r, v, convert<T>(f(first_element<D, int(d)>(t) + D.locate(int(d), place{0, 0, r, v})...)));
                }(std::make_index_sequence<Rank>{});
            });
        });
    });
    return y;
}

template <class T, distribution D>
CK_TILE_FN constexpr tile<T, D> fill(T value)
{
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        static_for<D.regs()>([&](auto r) { y.of(t).reg[r] = __builtin_bit_cast(storage_t<T>, value); });
    });
    return y;
}

// The tile in another element type, rounded to nearest, ties to even.
template <class To, class From, distribution D>
CK_TILE_FN constexpr tile<To, D> convert(const tile<From, D>& x)
{
    return map([](From e) { return convert<To>(e); }, x);
}

namespace detail
{
// Where in distribution A a thread finds the element that distribution B puts at (reg, vec): -1 if it has it not.
template <distribution A, distribution B>
constexpr int find_register(int reg, int vec)
{
    for(int r = 0; r < A.regs(); ++r)
        for(int v = 0; v < A.vecs(); ++v)
        {
            bool same = true;
            for(int d = 0; d < distribution::max_rank; ++d)
                same = same && A.reg.along(d, r) + A.vec.along(d, v) == B.reg.along(d, reg) + B.vec.along(d, vec);
            if(same)
                return r * A.vecs() + v;
        }
    return -1;
}

template <int N>
struct register_map
{
    int from[N];
};

template <distribution A, distribution B>
constexpr auto map_registers()
{
    register_map<B.regs() * B.vecs()> m;
    for(int r = 0; r < B.regs(); ++r)
        for(int v = 0; v < B.vecs(); ++v)
            m.from[r * B.vecs() + v] = find_register<A, B>(r, v);
    return m;
}

template <distribution A, distribution B>
constexpr bool same_owners()
{
    if(A.wave != B.wave || A.lane != B.lane || A.regs() * A.vecs() != B.regs() * B.vecs())
        return false;
    for(int from : map_registers<A, B>().from)
        if(from < 0)
            return false;
    return true;
}
} // namespace detail

// The same tile in a distribution that gives each thread the same elements in another order, as when vectors along rows
// become vectors along columns. Nothing moves between threads.
template <distribution To, class T, distribution From>
CK_TILE_FN constexpr tile<T, To> rearrange(const tile<T, From>& x)
{
    static_assert(detail::same_owners<From, To>(), "rearrange: each thread must own the same elements in both "
                                                   "distributions; go through LDS to move elements between threads");
    constexpr auto source = detail::map_registers<From, To>();
    tile<T, To> y;
    for_each_thread<To>([&](thread t) {
        static_for<To.regs()>([&](auto r) {
            static_for<To.vecs()>([&](auto v) {
                constexpr int from     = source.from[r * To.vecs() + v];
                y.of(t).reg[r][int(v)] = x.of(t).reg[from / From.vecs()][from % From.vecs()];
            });
        });
    });
    return y;
}

} // namespace ck_tile
