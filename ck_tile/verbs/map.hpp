// SPDX-License-Identifier: MIT
// The verbs that work element by element: map, visit, generate, convert; and rearrange, which renames a thread's registers.
#pragma once

#include "ck_tile/core/tile.hpp"

#include <utility>

namespace ck_tile
{

namespace detail
{
// Whether a tile of distribution `narrow` can stand beside one of distribution `d`: the same threads, and along each
// dimension the same registers, or none, so that a thread's one element stands for all that the other has there.
constexpr bool spreads(const distribution& narrow, const distribution& d)
{
    if(narrow.units() != d.units() || narrow.waves() != d.waves() || narrow.lanes() != d.lanes())
        return false;
    for(int dim = 0; dim < distribution::max_rank; ++dim)
    {
        const digits reg = narrow.reg.only(dim), vec = narrow.vec.only(dim);
        if(reg.count + vec.count > 0 && !(reg == d.reg.only(dim) && vec == d.vec.only(dim)))
            return false;
    }
    return true;
}

// The element of a narrow tile's thread that stands beside element (reg, vec) of a tile of distribution `d`.
constexpr place beside(const distribution& narrow, const distribution& d, int reg, int vec)
{
    const auto number = [&](const digits& own, const digits& of, int n) {
        int result = 0, weight = 1;
        for(int i = 0, rest = n; i < of.count; rest /= of.at[i++].extent)
            if(of.at[i].stride == 0 ? own.count == of.count : own.only(of.at[i].dim).count > 0)
            {
                result += rest % of.at[i].extent * weight;
                weight *= of.at[i].extent;
            }
        return result;
    };
    return {0, 0, number(narrow.reg, d.reg, reg), number(narrow.vec, d.vec, vec)};
}

template <distribution Narrow, distribution D>
constexpr auto find_all_beside()
{
    constants<place, D.regs() * D.vecs()> places;
    for(int i = 0; i < D.regs() * D.vecs(); ++i)
        places.of[i] = beside(Narrow, D, i / D.vecs(), i % D.vecs());
    return places;
}
template <distribution Narrow, distribution D>
inline constexpr auto places_beside = find_all_beside<Narrow, D>();

// The elements of a thread, those first that stand beside its element 0 of `Narrow`, then those beside element 1, and so on.
template <distribution D, distribution Narrow>
constexpr auto find_order_beside()
{
    constants<int, D.regs() * D.vecs()> order;
    int ordered = 0;
    for(int beside = 0; beside < Narrow.regs() * Narrow.vecs(); ++beside)
        for(int i = 0; i < D.regs() * D.vecs(); ++i)
            if(const place p = places_beside<Narrow, D>.of[i]; p.reg * Narrow.vecs() + p.vec == beside)
                order.of[ordered++] = i;
    return order;
}
template <distribution D, distribution Narrow>
inline constexpr auto order_beside = find_order_beside<D, Narrow>();
} // namespace detail

// f(register, vector element) for each element that a thread of the distribution holds: numbers as register_for gives them.
template <distribution D, class F>
CK_TILE_FN constexpr void for_each_element(F&& f)
{
    if constexpr(on_device)
        static_for<D.regs() * D.vecs()>([&](auto i) { f(constant<i / D.vecs()>{}, constant<i % D.vecs()>{}); });
    else
        register_for<D.regs()>([&](int r) { register_for<D.vecs()>([&](int v) { f(r, v); }); });
}

// The same for those that stand beside element (r, v) of the thread in a tile of distribution `Narrow`, which lacks registers
// along a dimension (what fold and reduce leave).
template <distribution D, distribution Narrow, class R, class V, class F>
CK_TILE_FN constexpr void for_each_beside(R r, V v, F&& f)
{
    constexpr int each = D.regs() * D.vecs() / (Narrow.regs() * Narrow.vecs());
    if constexpr(on_device)
        static_for<each>([&](auto n) {
            constexpr int i = detail::order_beside<D, Narrow>.of[(r * Narrow.vecs() + v) * each + n];
            f(constant<i / D.vecs()>{}, constant<i % D.vecs()>{});
        });
    else
        register_for<each>([&](int n) {
            const int i = detail::order_beside<D, Narrow>.of[(r * Narrow.vecs() + v) * each + n];
            f(i / D.vecs(), i % D.vecs());
        });
}

namespace detail
{
// place `beside` for the numbers that for_each_element gives.
template <distribution Narrow, distribution D, class R, class V>
CK_TILE_FN constexpr place place_beside(R r, V v)
{
    if constexpr(on_device)
        return entry<places_beside<Narrow, D>>(constant<r * D.vecs() + v>{});
    else
        return entry<places_beside<Narrow, D>>(r * D.vecs() + v);
}

template <distribution D, class Tile, class R, class V>
CK_TILE_FN constexpr auto get_beside(const Tile& x, thread t, R r, V v)
{
    const place p = place_beside<Tile::layout, D>(r, v);
    return x.of(t).get(p.reg, p.vec);
}
} // namespace detail

// f applied to each element, and to the one at the same place of further tiles. These have the same distribution, or lack
// the registers along a dimension (what fold and reduce leave): then their element stands for all of the thread's there.
template <class F, class T, distribution D, class... More>
CK_TILE_FN constexpr auto map(F&& f, const tile<T, D>& x, const More&... more)
{
    static_assert((... && detail::spreads(More::layout, D)),
                  "map: a further tile must have the distribution of the first, "
                  "or lack its registers along a dimension");
    tile<std::remove_cvref_t<decltype(f(x.files[0].get(0, 0), more.files[0].get(0, 0)...))>, D> y;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>(
            [&](auto r, auto v) { y.of(t).set(r, v, f(x.of(t).get(r, v), detail::get_beside<D>(more, t, r, v)...)); });
    });
    return y;
}

// Calls f(thread, coordinates, element, element at the same place of further tiles ...) for each element that a thread holds.
template <int Rank, class F, class T, distribution D, class... More>
CK_TILE_FN constexpr void visit(F&& f, const tile<T, D>& x, const tile<More, D>&... more)
{
    for_each_thread<D>([&](thread t) {
        for_each_element<D>(
            [&](auto r, auto v) { f(t, coordinates<D, Rank>(t, r, v), x.of(t).get(r, v), more.of(t).get(r, v)...); });
    });
}

// The tile whose element at (i, j) is f(i, j), and likewise for other ranks.
template <class T, distribution D, int Rank, class F>
CK_TILE_FN constexpr tile<T, D> generate(F&& f)
{
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) {
            [&]<std::size_t... d>(const multi_index<Rank>& at, std::index_sequence<d...>) {
                y.of(t).set(r, v, convert<T>(f(at[d]...)));
            }(coordinates<D, Rank>(t, r, v), std::make_index_sequence<Rank>{});
        });
    });
    return y;
}

template <class T, distribution D>
CK_TILE_FN constexpr tile<T, D> fill(T value)
{
    tile<T, D> y;
    for_each_thread<D>([&](thread t) {
        register_for<D.regs()>([&](auto r) { y.of(t).reg[r] = __builtin_bit_cast(storage_t<T>, value); });
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
// Where each element of a thread lies in the tile, from the thread's first; all dimensions in one number.
template <distribution D>
constexpr auto places_of_thread()
{
    constants<int, D.regs() * D.vecs()> places;
    for(int r = 0; r < D.regs(); ++r)
        for(int v = 0; v < D.vecs(); ++v)
        {
            int place = 0;
            for(int d = 0; d < distribution::max_rank; ++d)
                place = place * D.length(d) + D.reg.along(d, r) + D.vec.along(d, v);
            places.of[r * D.vecs() + v] = place;
        }
    return places;
}

// Which of the elements that a thread holds in one distribution are those that it holds in another: -1 if it has one not.
template <distribution From, distribution To>
constexpr auto map_registers()
{
    const auto have = places_of_thread<From>();
    auto m          = places_of_thread<To>();
    for(int& wanted : m.of)
    {
        int at = From.regs() * From.vecs() - 1;
        while(at >= 0 && have.of[at] != wanted)
            --at;
        wanted = at;
    }
    return m;
}

template <distribution From, distribution To>
inline constexpr auto register_map_of = map_registers<From, To>();

template <distribution From, distribution To>
constexpr bool same_owners()
{
    if(From.unit != To.unit || From.wave != To.wave || From.lane != To.lane ||
       From.regs() * From.vecs() != To.regs() * To.vecs())
        return false;
    for(int from : register_map_of<From, To>.of)
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
    tile<T, To> y;
    for_each_thread<To>([&](thread t) {
        register_for<To.regs() * To.vecs()>([&](auto i) {
            const int from                            = entry<detail::register_map_of<From, To>>(i);
            y.of(t).reg[i / To.vecs()][i % To.vecs()] = x.of(t).reg[from / From.vecs()][from % From.vecs()];
        });
    });
    return y;
}

} // namespace ck_tile
