// SPDX-License-Identifier: MIT
// The verb broadcast: a tile that does not vary along some dimensions, as a bias of columns or what reduce() gives, as if it did. Nothing moves
// between threads: each holds what it needs. map() broadcasts its tiles so.
//
//   constexpr distribution row = reduced<D, 0>;                    // [1, columns], as D distributes each of its rows
//   const tile<float, D> x = broadcast<D>(load(make_window<row>(view, origin)));
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

namespace detail
{
// Whether all threads of D begin where they do in E, along the dimensions in which E is longer than 1.
constexpr bool begin_alike(const distribution& e, const distribution& d)
{
    const digits* const levels[][2] = {{&e.cluster, &d.cluster}, {&e.wave, &d.wave}, {&e.lane, &d.lane}};
    for(const auto& level : levels)
    {
        if(level[0]->size() != level[1]->size())
            return false;
        for(int dim = 0; dim < distribution::max_rank; ++dim)
            for(int i = 0; e.length(dim) > 1 && i < level[0]->size(); ++i)
                if(level[0]->along(dim, i) != level[1]->along(dim, i))
                    return false;
    }
    return true;
}

// Where a thread has an element; register -1: nowhere.
struct register_place
{
    int reg, vec;
};

// Which of its elements of E each of a thread's elements of D takes: the one as far from the first along the dimensions in which E is longer than 1.
template <distribution E, distribution D>
inline constexpr auto broadcast_places = [] {
    constants<register_place, D.regs() * D.vecs()> found;
    for(int i = 0; i < D.regs() * D.vecs(); ++i)
    {
        found.values[i] = {-1, 0};
        for(int j = 0; j < E.regs() * E.vecs() && found.values[i].reg < 0; ++j)
        {
            bool same = true;
            for(int dim = 0; dim < distribution::max_rank; ++dim)
                same =
                    same && (E.length(dim) == 1 || E.reg.along(dim, j / E.vecs()) + E.vec.along(dim, j % E.vecs()) ==
                                                       D.reg.along(dim, i / D.vecs()) + D.vec.along(dim, i % D.vecs()));
            if(same)
                found.values[i] = {j / E.vecs(), j % E.vecs()};
        }
    }
    return found;
}();

template <distribution E, distribution D>
constexpr bool finds_broadcast_places()
{
    for(const register_place& one : broadcast_places<E, D>.values)
        if(one.reg < 0)
            return false;
    return true;
}
} // namespace detail

// Whether threads of D hold what they need of a tile of E, which is as long or 1 along each dimension.
template <distribution E, distribution D>
inline constexpr bool broadcasts_to = [] {
    for(int dim = 0; dim < distribution::max_rank; ++dim)
        if(E.length(dim) != D.length(dim) && E.length(dim) != 1)
            return false;
    if constexpr(E == D)
        return true;
    else
        return detail::begin_alike(E, D) && detail::finds_broadcast_places<E, D>();
}();

namespace detail
{
// What a thread has of a tile for element (r, v) of D.
template <distribution D, class T, distribution E>
CK_TILE_FN constexpr T element_for(const tile<T, E>& x, thread t, auto r, auto v)
{
    if constexpr(E == D)
        return x.file_of(t).get(r, v);
    else if constexpr(on_device)
    {
        constexpr register_place at = broadcast_places<E, D>.values[r * D.vecs() + v];
        return x.file_of(t).get(at.reg, at.vec);
    }
    else
    {
        const register_place at = broadcast_places<E, D>.values[r * D.vecs() + v];
        return x.file_of(t).get(at.reg, at.vec);
    }
}
} // namespace detail

template <distribution D, class T, distribution E>
CK_TILE_FN tile<T, D> broadcast(const tile<T, E>& x)
{
    static_assert(
        broadcasts_to<E, D>,
        "broadcast: the tile must have what the threads of the distribution need of it, and be as long or 1 along each "
        "dimension: distribute it as reduced<D, Dim>");
    tile<T, D> all;
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](auto r, auto v) { all.file_of(t).set(r, v, detail::element_for<D>(x, t, r, v)); });
    });
    return all;
}

} // namespace ck_tile
