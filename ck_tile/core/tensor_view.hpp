// SPDX-License-Identifier: MIT
// A tensor view: a pointer with lengths and strides, seen through a chain of coordinate transforms.
//
//   auto image   = strided<3>{{H, W, C}, {W * C, C, 1}};
//   auto padded  = transform(image,  along<{0}, {0}>(pad{H, 1, 1}), along<{1}, {1}>(pad{W, 1, 1}),
//                                    along<{2}, {2}>(pass_through{C}));
//   auto windows = transform(padded, along<{0}, {0, 2}>(embed<2>{{Ho, Y}, {stride, 1}}), ...);
//
// A map takes upper coordinates to a footprint: the offset in memory and the guarded coordinates on the way.
#pragma once

#include "ck_tile/core/transforms.hpp"

#include <boost/hana/basic_tuple.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ck_tile
{

// Member I of a tuple: boost::hana::at without its concepts, whose headers take longer to parse than this library does.
template <int I, class Tuple>
CK_TILE_FN constexpr decltype(auto) member(Tuple&& tuple)
{
    return boost::hana::at_impl<boost::hana::basic_tuple_tag>::apply(
        static_cast<Tuple&&>(tuple), std::integral_constant<std::size_t, std::size_t(I)>{});
}

// Where a coordinate lands: the offset in elements from the view's pointer, and the coordinates that were guarded. An
// affine map's footprints add up: footprint(a + b) - footprint(0) is the sum of what a and b contribute.
// Nothing sets one that has no initializer: arrays of many that a loop sets compilers keep in memory.
template <int Guards>
struct footprint
{
    int offset;
    int guarded[Guards > 0 ? Guards : 1];

    friend CK_TILE_FN constexpr footprint operator+(const footprint& a, const footprint& b)
    {
        footprint sum = {wrapped_sum(a.offset, b.offset), {}};
        CK_TILE_UNROLL
        for(int g = 0; g < Guards; ++g)
            sum.guarded[g] = wrapped_sum(a.guarded[g], b.guarded[g]);
        return sum;
    }
    friend CK_TILE_FN constexpr footprint operator-(const footprint& a, const footprint& b)
    {
        footprint difference = {wrapped_difference(a.offset, b.offset), {}};
        CK_TILE_UNROLL
        for(int g = 0; g < Guards; ++g)
            difference.guarded[g] = wrapped_difference(a.guarded[g], b.guarded[g]);
        return difference;
    }
};

// The lowest map: a tensor in memory.
template <int Rank>
struct strided
{
    static constexpr int rank = Rank, guards = 0;
    static constexpr bool affine = true;
    multi_index<Rank> extents;
    multi_index<Rank> strides; // in elements

    static constexpr bool guards_along(int) { return false; }
    static constexpr bool guard_depends_on(int, int) { return false; }
    CK_TILE_FN constexpr multi_index<Rank> lengths() const { return extents; }
    CK_TILE_FN constexpr multi_index<0> limits() const { return {}; }
    CK_TILE_FN constexpr footprint<0> operator()(const multi_index<Rank>& u) const
    {
        return {embed<Rank>{extents, strides}.map(u)[0], {}};
    }
};

// The strides, in elements, of a packed tensor.
template <int Rank>
CK_TILE_FN constexpr multi_index<Rank> packed_strides(const multi_index<Rank>& lengths)
{
    multi_index<Rank> strides;
    int stride = 1;
    for(int d = Rank - 1; d >= 0; --d)
    {
        strides[d] = stride;
        stride *= lengths[d];
    }
    return strides;
}

template <int Rank>
CK_TILE_FN constexpr strided<Rank> packed(const multi_index<Rank>& lengths)
{
    return {lengths, packed_strides(lengths)};
}

// A short list of dimensions, as a template value.
struct dims
{
    int at[6] = {};
    int count = 0;

    template <class... I>
    constexpr dims(I... d) : at{d...}, count(sizeof...(d))
    {
    }

    constexpr bool has(int d) const
    {
        for(int i = 0; i < count; ++i)
            if(at[i] == d)
                return true;
        return false;
    }
};

// A transform with its place in a map: which dimensions of the map below it yields, and which of the new map it takes.
template <dims Lower, dims Upper, class Transform>
struct placed
{
    static constexpr dims lower = Lower, upper = Upper;
    static_assert(Lower.count == Transform::lower, "along<lower, upper>: the transform yields another number of lower "
                                                   "dimensions; list as many as Transform::lower says");
    static_assert(Upper.count == Transform::upper, "along<lower, upper>: the transform takes another number of upper "
                                                   "dimensions; list as many as Transform::upper says");
    Transform transform;

    // Whether guard `g` of the map below depends on dimension `d` of the new map.
    template <class Below>
    static constexpr bool guard_depends_on(int g, int d)
    {
        bool any = false;
        for(int i = 0; i < Transform::lower; ++i)
            any = any || Below::guard_depends_on(g, Lower.at[i]);
        return any && Upper.has(d);
    }

    CK_TILE_FN constexpr auto lower_part(const auto& u) const
    {
        multi_index<Transform::upper> mine;
        CK_TILE_UNROLL
        for(int i = 0; i < Transform::upper; ++i)
            mine[i] = u[Upper.at[i]];
        return transform.map(mine);
    }

    template <class Index>
    static CK_TILE_FN constexpr void scatter(const multi_index<Transform::lower>& coords, Index& l)
    {
        CK_TILE_UNROLL
        for(int i = 0; i < Transform::lower; ++i)
            l[Lower.at[i]] = coords[i];
    }

    CK_TILE_FN constexpr void lengths_into(auto& lengths) const
    {
        const auto mine = transform.lengths();
        for(int i = 0; i < Transform::upper; ++i)
            lengths[Upper.at[i]] = mine[i];
    }
};

template <dims Lower, dims Upper, class Transform>
CK_TILE_FN constexpr placed<Lower, Upper, Transform> along(const Transform& t)
{
    return {t};
}

// One more layer of transforms on top of a map.
template <class Below, class... Placed>
struct transformed
{
    static constexpr int rank       = (0 + ... + Placed::upper.count);
    static constexpr int own_guards = (0 + ... + int(decltype(Placed::transform)::guarded));
    static constexpr int guards     = own_guards + Below::guards;
    static constexpr bool affine    = Below::affine && (... && decltype(Placed::transform)::affine);
    static_assert((0 + ... + Placed::lower.count) == Below::rank,
                  "transform: the transforms must together yield each dimension of the map below once");

    Below below;
    boost::hana::basic_tuple<Placed...> layer;

    // Whether guard `g` depends on dimension `d`: the guards of this layer are the first ones; and whether any does.
    static constexpr bool guard_depends_on(int g, int d)
    {
        int own        = 0;
        bool any       = false;
        const auto ask = [&]<class P>(const P*) {
            if(decltype(P::transform)::guarded && own++ == g)
                any = any || P::upper.has(d);
            else if(g >= own_guards)
                any = any || P::template guard_depends_on<Below>(g - own_guards, d);
        };
        (ask(static_cast<const Placed*>(nullptr)), ...);
        return any;
    }
    static constexpr bool guards_along(int d)
    {
        for(int g = 0; g < guards; ++g)
            if(guard_depends_on(g, d))
                return true;
        return false;
    }

    CK_TILE_FN constexpr multi_index<rank> lengths() const
    {
        multi_index<rank> all;
        each([&](const auto& p) { p.lengths_into(all); });
        return all;
    }

    CK_TILE_FN constexpr multi_index<guards> limits() const
    {
        multi_index<guards> all;
        int g = 0;
        each([&](const auto& p) {
            if constexpr(decltype(p.transform)::guarded)
                all[g++] = p.transform.limit();
        });
        const auto rest = below.limits();
        CK_TILE_UNROLL
        for(int i = 0; i < Below::guards; ++i)
            all[own_guards + i] = rest[i];
        return all;
    }

    CK_TILE_FN constexpr multi_index<Below::rank> lower(const multi_index<rank>& u) const
    {
        multi_index<Below::rank> l;
        each([&](const auto& p) { p.scatter(p.lower_part(u), l); });
        return l;
    }

    CK_TILE_FN constexpr footprint<guards> operator()(const multi_index<rank>& u) const
    {
        const auto l    = lower(u);
        const auto rest = below(l);
        footprint<guards> f{rest.offset, {}};
        int g = 0;
        each([&](const auto& p) {
            if constexpr(decltype(p.transform)::guarded)
                f.guarded[g++] = l[p.lower.at[0]];
        });
        CK_TILE_UNROLL
        for(int i = 0; i < Below::guards; ++i)
            f.guarded[own_guards + i] = rest.guarded[i];
        return f;
    }

    template <class F>
    CK_TILE_FN constexpr void each(F&& f) const
    {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            (f(member<int(i)>(layer)), ...);
        }(std::index_sequence_for<Placed...>{});
    }
};

template <class Below, class... Placed>
CK_TILE_FN constexpr transformed<Below, Placed...> transform(const Below& below, const Placed&... layer)
{
    return {below, boost::hana::basic_tuple<Placed...>{layer...}};
}

// Whether a footprint lies inside all guarded dimensions.
template <int Guards>
CK_TILE_FN constexpr bool exists(const footprint<Guards>& f, const multi_index<Guards>& limits)
{
    bool inside = true;
    CK_TILE_UNROLL
    for(int g = 0; g < Guards; ++g)
        inside = inside && unsigned(f.guarded[g]) < unsigned(limits[g]);
    return inside;
}

// `data` points to element 0 of the map's memory, which is `elements` long: a 64-bit base, 32-bit offsets from it. A
// tensor of more than 2 GiB is seen through views that start at one of its images.
template <class T, class Map>
struct tensor_view
{
    using element = T;
    T* data;
    std::int64_t elements;
    Map map;
};

template <class T, class Map>
tensor_view(T*, std::int64_t, Map) -> tensor_view<T, Map>;

// A packed tensor, the last dimension contiguous.
template <class T, int Rank>
CK_TILE_FN constexpr auto packed_view(T* data, const multi_index<Rank>& lengths)
{
    std::int64_t elements = 1;
    for(int d = 0; d < Rank; ++d)
        elements *= lengths[d];
    return tensor_view{data, elements, packed(lengths)};
}

template <class T, class... Length>
CK_TILE_FN constexpr auto packed_view(T* data, Length... lengths)
{
    return packed_view(data, multi_index<sizeof...(Length)>{static_cast<int>(lengths)...});
}

namespace detail
{
// Whether the top layer of a map has a transform for each of its dimensions, in their order.
template <class Map>
inline constexpr bool in_order = false;
template <class Below, class... Placed>
inline constexpr bool in_order<transformed<Below, Placed...>> = [] {
    int dim = 0;
    return (... && (Placed::upper.count == 1 && Placed::upper.at[0] == dim++));
}();

// The map with one more dimension, along which it repeats: in its top layer, where windows look for it.
template <int Dim, class Map>
CK_TILE_FN constexpr auto repeated_map(const Map& map)
{
    return [&]<std::size_t... d>(std::index_sequence<d...>) {
        const auto at = [&]<int I>() {
            constexpr int own = I < Dim ? I : I - 1; // its dimension in the map
            if constexpr(I == Dim)
                return along<dims{}, dims{Dim}>(repeat{});
            else if constexpr(in_order<Map>)
            {
                const auto& one = member<own>(map.layer);
                return along<std::remove_cvref_t<decltype(one)>::lower, dims{I}>(one.transform);
            }
            else
                return along<dims{own}, dims{I}>(pass_through{map.lengths()[own]});
        };
        if constexpr(in_order<Map>)
            return transform(map.below, at.template operator()<int(d)>()...);
        else
            return transform(map, at.template operator()<int(d)>()...);
    }(std::make_index_sequence<Map::rank + 1>{});
}
} // namespace detail

// The view with one more dimension, Dim, along which it is always the same: repeated<0>(packed_view(bias, n)) is a matrix whose rows are all
// the bias, and has as many as a window asks for. A window loads once what a thread's elements along Dim have in common, in vectors along
// other dimensions.
template <int Dim, class T, class Map>
CK_TILE_FN constexpr auto repeated(const tensor_view<T, Map>& view)
{
    static_assert(Dim >= 0 && Dim <= Map::rank, "repeated: a view of r dimensions has 0 to r as that of the new one");
    return tensor_view{view.data, view.elements, detail::repeated_map<Dim>(view.map)};
}

} // namespace ck_tile
