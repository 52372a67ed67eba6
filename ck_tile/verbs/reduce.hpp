// SPDX-License-Identifier: MIT
// The verb reduce combines the elements along one dimension of a tile, across registers, lanes and waves; for_each_folded goes
// through those of each thread alone.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/broadcast.hpp"
#include "ck_tile/verbs/exchange.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

namespace detail
{
// The distribution of what threads make of their own registers along `dim`: one element there for each thread that has some,
// side by side in the order of their first elements.
constexpr distribution folded(const distribution& d, int dim)
{
    distribution r = d;
    r.reg          = without(d.reg, dim, false);
    r.vec          = without(d.vec, dim, false);
    r.lengths[dim] = 1;
    for(const digits* level : {&d.cluster, &d.wave, &d.lane})
        r.lengths[dim] *= level->only(dim).size();
    for(digits* level : {&r.cluster, &r.wave, &r.lane})
        for(int i = 0; i < level->count; ++i)
            if(level->at[i].moves_along(dim))
            {
                int stride = 1;
                for(const digits* other : {&d.cluster, &d.wave, &d.lane})
                    for(int j = 0; j < other->count; ++j)
                        if(other->at[j].moves_along(dim) && other->at[j].stride < level->at[i].stride)
                            stride *= other->at[j].extent;
                level->at[i].stride = stride;
            }
    return r;
}

// Weight of digit i in the number that runs through the digits.
constexpr int weight_of(const digits& all, int i)
{
    int weight = 1;
    for(int j = 0; j < i; ++j)
        weight *= all.at[j].extent;
    return weight;
}

// The number whose digits along `dim` count to n, the others being 0.
constexpr int number_along(const digits& all, int dim, int n)
{
    int number = 0;
    for(int i = 0; i < all.count; ++i)
        if(all.at[i].moves_along(dim))
        {
            number += n % all.at[i].extent * weight_of(all, i);
            n /= all.at[i].extent;
        }
    return number;
}

// Combines the values that lanes (or, through LDS, waves) hold whose numbers differ in one digit, in a butterfly: all of
// them end up with the same bits, because op(a, b) is evaluated on the same two numbers, the lower lane's first.
template <distribution D, class T, class Op>
CK_TILE_FN void combine_lanes(tile<T, D>& x, int mask, Op&& op)
{
    const tile<T, D> other = exchange_lanes(x, mask);
    for_each_thread<D>([&](thread t) {
        const bool lower = (t.lane & mask) == 0;
        for_each_element<D>([&](auto r, auto v) {
            const T mine = x.file_of(t).get(r, v), theirs = other.file_of(t).get(r, v);
            x.file_of(t).set(r, v, lower ? op(mine, theirs) : op(theirs, mine));
        });
    });
}
} // namespace detail

// The distribution of what threads make of their own elements along Dim: one for each thread that has some.
template <distribution D, int Dim>
inline constexpr distribution folded = detail::folded(D, Dim);

namespace detail
{
// The elements of a thread of distribution D, those first that go into its element 0 of folded<D, Dim>, then those of element 1,
// and so on.
template <distribution D, int Dim>
inline constexpr auto fold_order = [] {
    constexpr distribution to = ck_tile::folded<D, Dim>;
    multi_index<3> step       = {1, 1, 1};
    step[Dim]                 = 0;
    const auto all            = coords_of_thread<D>(step);
    constants<int, D.regs() * D.vecs()> order;
    int ordered = 0;
    for(long long one : coords_of<to>.values)
        for(int i = 0; i < D.regs() * D.vecs(); ++i)
            if(all.values[i] == one)
                order.values[ordered++] = i;
    return order;
}();
} // namespace detail

// f(register, vector element) for each element of a thread that goes into its element (r, v) of folded<D, Dim>, in ascending
// order: numbers as register_for gives and takes them. So sums along Dim are made, and what is known of them is applied, one
// after another, and few of them need registers at a time.
template <distribution D, int Dim, class R, class V, class F>
CK_TILE_FN constexpr void for_each_folded(R r, V v, F&& f)
{
    constexpr distribution to = folded<D, Dim>;
    constexpr int each        = D.regs() * D.vecs() / (to.regs() * to.vecs());
    if constexpr(on_device)
        static_for<each>([&](auto n) {
            constexpr int i = detail::fold_order<D, Dim>.values[(r * to.vecs() + v) * each + n];
            f(constant<i / D.vecs()>{}, constant<i % D.vecs()>{});
        });
    else
        register_for<each>([&](int n) {
            const int i = detail::fold_order<D, Dim>.values[(r * to.vecs() + v) * each + n];
            f(i / D.vecs(), i % D.vecs());
        });
}

// LDS bytes that a reduction along `dim` needs whose result has elements of T, in each workgroup: none if one wave holds the whole dimension;
// else room for what each thread has of the result.
template <distribution D, class T>
constexpr int reduce_lds_bytes(int dim)
{
    const distribution to = detail::reduced(D, dim);
    return D.wave.only(dim).count == 0 ? 0 : D.waves() * D.lanes() * to.regs() * to.vecs() * int(sizeof(T));
}

// What reduce<Dim>() of a tile of D has in LDS, for a plan: lds_memory<reduce_partials<D, Dim>>.
template <distribution D, int Dim, class T = float>
struct reduce_partials
{
    static constexpr int bytes = reduce_lds_bytes<D, T>(Dim);
};

// What an operation combines with any other value to that value: 0 of a sum, -infinity of a maximum.
template <class T>
struct neutral
{
    T value;
};
template <class T>
neutral(T) -> neutral<T>;

namespace detail
{
// Each thread's elements along Dim in ascending order: the first with the second and so on, or a neutral element with the first.
template <int Dim, class T, distribution D, class Op>
CK_TILE_FN tile<T, ck_tile::reduced<D, Dim>> combine_registers(const tile<T, D>& x, Op& op)
{
    constexpr distribution to = ck_tile::reduced<D, Dim>;
    tile<T, to> y;
    for_each_thread<D>([&](thread t) {
        static_for<to.regs()>([&](auto r) {
            static_for<to.vecs()>([&](auto v) {
                bool first = true;
                T sum      = T{};
                for_each_folded<D, Dim>(r, v, [&](auto from, auto element) {
                    const T next = x.file_of(t).get(from, element);
                    sum          = first ? next : op(sum, next);
                    first        = false;
                });
                y.file_of(t).set(r, v, sum);
            });
        });
    });
    return y;
}
template <int Dim, class T, distribution D, class Op, class Result>
CK_TILE_FN tile<Result, ck_tile::reduced<D, Dim>> combine_registers(const tile<T, D>& x, Op& op,
                                                                    const neutral<Result>& start)
{
    constexpr distribution to = ck_tile::reduced<D, Dim>;
    tile<Result, to> y;
    for_each_thread<D>([&](thread t) {
        static_for<to.regs()>([&](auto r) {
            static_for<to.vecs()>([&](auto v) {
                Result sum = start.value;
                for_each_folded<D, Dim>(r, v, [&](auto from, auto element) {
                    sum = op(sum, convert<Result>(x.file_of(t).get(from, element)));
                });
                y.file_of(t).set(r, v, sum);
            });
        });
    });
    return y;
}

// What threads have combined of their own elements of D along Dim, with that of other lanes, then of other waves.
template <int Dim, distribution D, class T, class Op>
CK_TILE_FN void combine_threads(const block& in, tile<T, ck_tile::reduced<D, Dim>>& y, Op& op, int lds_offset)
{
    static_assert(D.cluster.only(Dim).count == 0,
                  "reduce: one workgroup must hold the whole dimension; go through LDS to combine those of a cluster");
    constexpr distribution to = ck_tile::reduced<D, Dim>;
    static_for<D.lane.count>([&](auto i) {
        constexpr digit d    = D.lane.at[i];
        constexpr int weight = detail::weight_of(D.lane, i);
        static_assert(!d.moves_along(Dim) || (d.extent & (d.extent - 1)) == 0,
                      "reduce: lanes along the dimension must be a power of two");
        if constexpr(d.moves_along(Dim))
            for(int mask = weight; mask < weight * d.extent; mask *= 2)
                detail::combine_lanes(y, mask, op);
    });

    if constexpr(D.wave.only(Dim).count > 0)
    {
        // Every thread puts its registers into its workgroup's LDS and combines those of all waves that differ from its own along Dim.
        constexpr int lanes = D.lanes(), registers = to.regs() * to.vecs();
        tell_checker([&](auto& c) {
            c.check_lds_room(lds_offset, reduce_lds_bytes<D, T>(Dim),
                             "several waves share the dimension, which takes reduce_lds_bytes() of LDS");
        });
        in.sync();
        for_each_thread<D>([&](thread t) {
            const auto shared = in.lds_of<T>(t, lds_offset);
            static_for<to.regs()>([&](auto r) {
                static_for<to.vecs()>([&](auto v) {
                    shared[(t.wave * registers + r * to.vecs() + v) * lanes + t.lane] = y.file_of(t).get(r, v);
                });
            });
        });
        in.sync();
        for_each_thread<D>([&](thread t) {
            const auto shared      = in.lds_of<T>(t, lds_offset);
            constexpr digits along = D.wave.only(Dim);
            int base               = t.wave; // the wave whose digits along Dim are 0
            static_for<D.wave.count>([&](auto i) {
                constexpr int weight = detail::weight_of(D.wave, i);
                if constexpr(D.wave.at[i].moves_along(Dim))
                    base -= t.wave / weight % D.wave.at[i].extent * weight;
            });
            static_for<to.regs()>([&](auto r) {
                static_for<to.vecs()>([&](auto v) {
                    T sum = T{};
                    static_for<along.size()>([&](auto n) {
                        constexpr int distance = detail::number_along(D.wave, Dim, n);
                        const T next = shared[((base + distance) * registers + r * to.vecs() + v) * lanes + t.lane];
                        sum          = n == 0 ? next : op(sum, next);
                    });
                    y.file_of(t).set(r, v, sum);
                });
            });
        });
        in.sync();
    }
}

// Where in LDS reduce() of a tile of D has what waves combine.
template <int Dim, distribution D, class T, class Partials>
CK_TILE_FN int offset_of_partials(const block& in, const lds_room<Partials>& partials)
{
    static_assert(Partials::bytes >= reduce_lds_bytes<D, T>(Dim),
                  "reduce: several waves share the dimension, and the member of the plan has no room for what each of "
                  "them combines: make it lds_memory<reduce_partials<D, Dim, T>>, of the tile's distribution, the "
                  "dimension and the result's type");
    return static_cast<int>(partials.data - in.lds);
}
} // namespace detail

// The tile of length 1 along Dim whose elements combine those along Dim by `op` (associative up to rounding): first within a
// thread in ascending order, then between lanes in a butterfly, then between waves in ascending order. The order depends on
// the distribution alone. Every thread along Dim gets the result. Where several waves share the dimension, they use reduce_lds_bytes()
// of LDS: from `lds_offset` on, or a plan's member `partials`.
template <int Dim, class T, distribution D, class Op>
CK_TILE_FN auto reduce(const block& in, const tile<T, D>& x, Op&& op, int lds_offset = 0,
                       source_line line = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("reduce", line);
    auto y = detail::combine_registers<Dim>(x, op);
    detail::combine_threads<Dim, D>(in, y, op, lds_offset);
    return y;
}
template <int Dim, class T, distribution D, class Op, class Partials>
CK_TILE_FN auto reduce(const block& in, const tile<T, D>& x, Op&& op, const lds_room<Partials>& partials,
                       source_line line = source_line::current())
{
    return reduce<Dim>(in, x, op, detail::offset_of_partials<Dim, D, T>(in, partials), line);
}

// The same in the type of the operation's neutral element, with which each thread begins: sums of fp16 in fp32, reduce<1>(in, x, plus,
// neutral{0.f}).
template <int Dim, class T, distribution D, class Op, class Result>
CK_TILE_FN auto reduce(const block& in, const tile<T, D>& x, Op&& op, const neutral<Result>& start, int lds_offset = 0,
                       source_line line = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("reduce", line);
    auto y = detail::combine_registers<Dim>(x, op, start);
    detail::combine_threads<Dim, D>(in, y, op, lds_offset);
    return y;
}
template <int Dim, class T, distribution D, class Op, class Result, class Partials>
CK_TILE_FN auto reduce(const block& in, const tile<T, D>& x, Op&& op, const neutral<Result>& start,
                       const lds_room<Partials>& partials, source_line line = source_line::current())
{
    return reduce<Dim>(in, x, op, start, detail::offset_of_partials<Dim, D, Result>(in, partials), line);
}

} // namespace ck_tile
