// SPDX-License-Identifier: MIT
// A window: a tile-shaped, movable look into a view.
//
// The view's top layer takes one dimension of the window each (a merge, say), and everything below is affine. So a
// footprint is the sum of one part per dimension, and a thread keeps a coordinate per row and per column it touches,
// not one per element; moving carries digits, without division. Elements beyond the view's lengths do not exist.
#pragma once

#include "ck_tile/core/memory.hpp"
#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

namespace detail
{

template <class Map>
inline constexpr bool one_dimension_each = false;
template <class Below, class... Placed>
inline constexpr bool one_dimension_each<transformed<Below, Placed...>> =
    Below::affine && (... && (Placed::upper.count == 1 && !decltype(Placed::transform)::guarded));

// The map with a top layer of one transform per dimension.
template <class Map>
CK_TILE_FN constexpr auto staged(const Map& map)
{
    if constexpr(one_dimension_each<Map>)
        return map;
    else
    {
        static_assert(Map::affine,
                      "window: below the top layer, which takes one dimension per transform, all transforms "
                      "must be affine; move the merge to the top");
        const auto lengths = map.lengths();
        return [&]<std::size_t... d>(std::index_sequence<d...>) {
            return transform(map, along<dims{int(d)}, dims{int(d)}>(pass_through{lengths[d]})...);
        }(std::make_index_sequence<Map::rank>{});
    }
}

template <class Map>
using staged_map = decltype(staged(Map{}));

// A thread's coordinates along one dimension: one for each position its registers have there.
template <distribution D, class Map, int Dim>
struct side
{
    using place_in_map = std::remove_cvref_t<decltype(member<Dim>(Map{}.layer))>;
    using transform    = decltype(place_in_map::transform);
    static_assert(place_in_map::upper.at[0] == Dim, "window: list the transforms of the top layer in the order of the "
                                                    "dimensions that they take");

    int at; // of position 0
    multi_index<transform::lower> digits_of[D.reg.only(Dim).size()];
};

// What a step of `by` along the upper dimension of a transform adds to its lower digits, and the digits after such a step.
template <class Transform>
CK_TILE_FN constexpr multi_index<Transform::lower> step_of(const Transform& t, int by)
{
    if constexpr(Transform::affine)
        return t.map({by}) - t.map({0});
    else
        return t.map({by});
}

template <class Transform>
CK_TILE_FN constexpr multi_index<Transform::lower> advance(const Transform& t,
                                                           const multi_index<Transform::lower>& digits,
                                                           const multi_index<Transform::lower>& step)
{
    if constexpr(requires { t.advance(digits, step); })
        return t.advance(digits, step);
    else
        return digits + step;
}

template <class T>
CK_TILE_FN constexpr std::uint32_t byte_offset(int elements)
{
    return static_cast<std::uint32_t>(elements) * std::uint32_t(sizeof(T));
}

template <distribution D, class Map, class Dims>
struct sides_of;
template <distribution D, class Map, std::size_t... d>
struct sides_of<D, Map, std::index_sequence<d...>>
{
    using type = boost::hana::basic_tuple<per_thread<side<D, Map, int(d)>, copies_of(D.threads())>...>;
};

// What a window of a tile of D reads: of dimensions along which the view repeats, one element.
template <distribution D, class Map>
inline constexpr distribution read_by = D;
template <distribution D, class Below, class... Placed>
inline constexpr distribution read_by<D, transformed<Below, Placed...>> = [] {
    distribution once = D;
    const auto reduce = [&](bool repeats, int dim) {
        if(repeats)
            once = detail::reduced(once, dim);
    };
    (reduce(std::is_same_v<decltype(Placed::transform), repeat>, Placed::upper.at[0]), ...);
    return once;
}();

template <distribution D>
constexpr int max_positions()
{
    int most = 1;
    for(int d = 0; d < distribution::max_rank; ++d)
        most = D.reg.only(d).size() > most ? D.reg.only(d).size() : most;
    return most;
}

} // namespace detail

// How far, and along which dimension, a window moves: worked out once, before the loop.
template <int Dim, class Lower>
struct window_step
{
    int by;
    Lower digits;
    std::uint32_t bytes; // along an unbounded dimension
};

template <class T, class Map, distribution D>
class window
{
    using staged = detail::staged_map<Map>;

  public:
    using element                        = T;
    static constexpr distribution layout = D;                          // of the tile
    static constexpr distribution read   = detail::read_by<D, staged>; // of what is accessed
    static constexpr int rank            = Map::rank;
    static_assert(read.vec.count <= 1 && read.contiguous() == read.vecs(),
                  "window: a vector register must be contiguous along one "
                  "dimension to be moved by one access");
    static_assert(detail::fits_rank(D, rank), "window: the tile has more dimensions than the view");

  private:
    static constexpr auto all_dims = std::make_index_sequence<rank>{};
    using sides                    = typename detail::sides_of<read, staged, std::make_index_sequence<rank>>::type;
    using footprint_type           = footprint<staged::guards>;

  public:
    // The window whose element 0 lies at `origin` of the view.
    CK_TILE_FN constexpr window(const tensor_view<T, Map>& view, const multi_index<rank>& origin)
        : memory_(view.data, view.elements * static_cast<std::int64_t>(sizeof(T))), map_(detail::staged(view.map))
    {
        for_each_thread<read>([&](thread t) {
            each_side([&]<int d>(auto& s, const auto& p) {
                s[t.copy].at = origin[d] + first_element<read, d>(t);
                static_for<read.reg.only(d).size()>([&](auto i) {
                    constexpr int beyond   = read.reg.only(d).along(d, i);
                    s[t.copy].digits_of[i] = p.transform.map({s[t.copy].at + beyond});
                });
            });
        });
    }

    // A step of `by` elements forward along dimension Dim.
    template <int Dim>
    CK_TILE_FN constexpr auto step(int by) const
    {
        const auto& p = member<Dim>(map_.layer);
        using lower   = multi_index<decltype(p.transform)::lower>;
        window_step<Dim, lower> step{by, detail::step_of(p.transform, by), 0};
        if constexpr(is_unbounded<Dim>)
        {
            static_assert(!staged::guards_along(Dim), "window: nothing may be guarded along an unbounded dimension");
            multi_index<decltype(map_.below)::rank> l;
            p.scatter(step.digits, l);
            step.bytes = detail::byte_offset<T>((map_.below(l) - map_.below({})).offset);
        }
        return step;
    }

    template <int Dim, class Lower>
    CK_TILE_FN constexpr void move(const window_step<Dim, Lower>& step)
    {
        if constexpr(is_unbounded<Dim>)
            return memory_.skip(step.bytes);
        auto& files   = member<Dim>(sides_);
        const auto& t = member<Dim>(map_.layer).transform;
        for_each_thread<read>([&](thread who) {
            auto& s = files[who.copy];
            s.at += step.by;
            static_for<read.reg.only(Dim).size()>(
                [&](auto i) { s.digits_of[i] = detail::advance(t, s.digits_of[i], step.digits); });
        });
    }

    // Calls visit(register number, byte offset) for each vector register of the thread; `nowhere` if it does not exist.
    template <class Visit>
    CK_TILE_FN constexpr void each_access(thread t, Visit&& visit) const
    {
        constexpr int most = detail::max_positions<read>();
        footprint_type summands[rank]
                               [most]; // their offsets in bytes, so that those of dimensions that stay leave the loop
        bool inside[rank][most];
        const footprint_type origin = map_.below({});
        const auto limits           = map_.below.limits();
        const auto lengths          = map_.lengths();
        each_side([&]<int d>(const auto& s, const auto& p) {
            static_for<read.reg.only(d).size()>([&](auto i) {
                constexpr int beyond = read.reg.only(d).along(d, i);
                multi_index<decltype(map_.below)::rank> l;
                p.scatter(s[t.copy].digits_of[i], l);
                const footprint_type f = map_.below(l);
                summands[d][i]         = d == 0 ? f : f - origin;
                summands[d][i].offset  = static_cast<int>(detail::byte_offset<T>(summands[d][i].offset));
                inside[d][i]           = is_unbounded<d> || is_repeated<d> || s[t.copy].at + beyond < lengths[d];
            });
        });
        static_for<read.regs()>([&](auto r) {
            constexpr auto position = register_position(r);
            footprint_type f        = summands[0][position[0]];
            bool here               = inside[0][position[0]];
            static_for<rank - 1>([&](auto i) {
                constexpr int d = i + 1;
                f               = f + summands[d][position[d]];
                here            = here && inside[d][position[d]];
            });
            visit(r, here && exists(f, limits) ? static_cast<unsigned>(f.offset) : nowhere);
        });
    }

    CK_TILE_FN constexpr const memory_range& memory() const { return memory_; }

    // Where the first element of a thread's register is in the view, from where the memory begins.
    CK_TILE_FN constexpr multi_index<rank> coordinates(thread t, int r) const
    {
        multi_index<rank> at;
        each_side([&]<int d>(const auto& s, const auto&) { at[d] = s[t.copy].at + read.reg.along(d, r); });
        return at;
    }
    // How many bytes its last element lies behind the first, which exists; -1 if it does not.
    CK_TILE_FN constexpr int reach(thread t, int r) const
    {
        const auto first = coordinates(t, r);
        auto last        = first;
        last[read.vector_dim()] += read.vecs() - 1;
        const auto f = map_(last);
        if(last[read.vector_dim()] >= map_.lengths()[read.vector_dim()] || !exists(f, map_.limits()))
            return -1;
        return static_cast<int>(detail::byte_offset<T>(f.offset - map_(first).offset));
    }

  private:
    template <int Dim>
    static constexpr bool is_unbounded =
        std::is_same_v<std::remove_cvref_t<decltype(member<Dim>(staged{}.layer).transform)>, unbounded>;
    template <int Dim>
    static constexpr bool is_repeated =
        std::is_same_v<std::remove_cvref_t<decltype(member<Dim>(staged{}.layer).transform)>, repeat>;

  public:
    static constexpr bool has_unbounded = []<std::size_t... d>(std::index_sequence<d...>) {
        return (... || is_unbounded<int(d)>);
    }(all_dims);

  private:
    // Which of its positions along each dimension a register has.
    static constexpr multi_index<rank> register_position(int r)
    {
        multi_index<rank> p;
        for(int d = 0; d < rank; ++d)
            p[d] = read.reg.number_in(d, r);
        return p;
    }

    template <class F>
    CK_TILE_FN constexpr void each_side(F&& f)
    {
        [&]<std::size_t... d>(std::index_sequence<d...>) CK_TILE_INLINE {
            [[clang::always_inline]] (f.template operator()<int(d)>(member<int(d)>(sides_), member<int(d)>(map_.layer)),
                                      ...);
        }(all_dims);
    }
    template <class F>
    CK_TILE_FN constexpr void each_side(F&& f) const
    {
        [&]<std::size_t... d>(std::index_sequence<d...>) CK_TILE_INLINE {
            [[clang::always_inline]] (f.template operator()<int(d)>(member<int(d)>(sides_), member<int(d)>(map_.layer)),
                                      ...);
        }(all_dims);
    }

    memory_range memory_;
    staged map_;
    sides sides_;
};

// A window of the tile that `D` distributes, at `origin` of the view.
template <distribution D, class T, class Map, int Rank>
CK_TILE_FN constexpr window<T, Map, D> make_window(const tensor_view<T, Map>& view, const multi_index<Rank>& origin)
{
    static_assert(Rank == Map::rank, "make_window: the origin needs one coordinate per dimension of the view");
    return {view, origin};
}

} // namespace ck_tile
