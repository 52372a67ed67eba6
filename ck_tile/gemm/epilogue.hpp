// SPDX-License-Identifier: MIT
// Epilogues: how the accumulator becomes output, converted to its type, or as fp32 partials when the reduction is split.
//
// A lane holds a column of C, memory wants rows.
//   through_lds   C goes through LDS, one strip of rows at a time, and leaves as wide vectors along the rows
//   direct        each lane writes what it holds, element by element: as good where vectors are of one element anyway, and
//                 needs neither LDS nor barriers
//   through_lanes lanes exchange what they hold until each has 16 bytes of a row, where the instruction's result lies so that four of
//                 them hold neighbouring pairs: neither LDS nor barriers, so that other tiles' operands may come to LDS meanwhile
// Both take a functor of an element of C, in fp32, and of the elements at the same place of more views, which may be of any
// strides: a bias per column is a row with stride 0, a residual a matrix.
//
//   store_through_lds<S, 8>(b, acc, y, origin, [](float c, float bias) { return relu(c + bias); }, bias_of_channels);
#pragma once

#include "ck_tile/gemm/pipelines.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/exchange.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/subtile.hpp"

namespace ck_tile::gemm
{

enum class epilogue
{
    through_lds,
    direct,
    through_lanes
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::epilogue>
{
    using enum gemm::epilogue;
    static constexpr const char* type                 = "gemm::epilogue";
    static constexpr enumerator<gemm::epilogue> all[] = {
        {through_lds, "through_lds"}, {direct, "direct"}, {through_lanes, "through_lanes"}};
};

namespace ck_tile::gemm
{

namespace detail
{
constexpr lds_layout strip_in_lds(const shape& s) { return {.rows = strip(s).lengths[0], .cols = s.n, .pad = 4}; }

// As many whole rows of the strip as the threads hold with one vector each, or with few, where they cannot share the vectors
// of a row evenly.
constexpr distribution rows_at_once(const shape& s, int vector)
{
    const row_share row = share_row(s, s.n / vector);
    const int down      = s.fragment().a.lanes() / row.lanes; // lanes
    return {.lengths = {s.waves() / row.waves * down, s.n},
            .wave    = {{row.waves, 1, row.lanes * vector}, {s.waves() / row.waves, 0, down}},
            .lane    = {{row.lanes, 1, vector}, {down, 0, 1}},
            .reg     = {{row.regs, 1, row.lanes * row.waves * vector}},
            .vec     = {{vector, 1, 1}}};
}

// The same elements in vectors of `most` at most: of a wider type, a lane moves fewer at once.
constexpr distribution in_vectors_of(distribution d, int most)
{
    const int vector = d.vecs();
    if(vector <= most)
        return d;
    digits split = {{vector / most, 1, most}};
    d.reg        = split.append(d.reg);
    d.vec        = {{most, 1, 1}};
    return d;
}

// The accumulator with its vectors, which run along columns, as registers of one element.
constexpr distribution one_by_one(const shape& s)
{
    distribution d = accumulator(s);
    digits single  = d.vec;
    d.reg          = single.append(d.reg);
    d.vec          = {};
    return d;
}

// Columns of the accumulator of which lanes exchange their elements at a time: as many fragments as lanes share a row.
constexpr distribution exchanged_columns(const shape& s)
{
    distribution d   = accumulator(s);
    const int shared = d.lane.at[0].extent;
    for(int i = 0; i < d.reg.count; ++i)
        if(digit& fragments = d.reg.at[i]; fragments.moves_along(1) && fragments.extent % shared == 0)
        {
            d.lengths[1] /= fragments.extent / shared;
            fragments.extent = shared;
        }
    return d;
}

constexpr bool can_exchange(const shape& s)
{
    const distribution d = exchanged_columns(s);
    return can_trade_digits(d) && along_k(digits_traded(d)).vecs() * bytes_of(s.type()) == 16;
}

// Strip `i` of the accumulator: every row_fragments-th register.
template <shape S>
CK_TILE_FN auto take_strip(const tile<float, accumulator(S)>& acc, int i)
{
    constexpr int rows = S.row_fragments(), cols = S.col_fragments();
    tile<float, strip(S)> one;
    for_each_thread<strip(S)>([&](thread t) {
        CK_TILE_UNROLL
        for(int j = 0; j < cols; ++j)
            one.file_of(t).reg[j] = acc.file_of(t).reg[i + rows * j];
    });
    return one;
}
} // namespace detail

// One strip of C in LDS.
template <shape S>
using strip_tile = lds_tile<float, detail::strip_in_lds(S)>;

constexpr int epilogue_lds_bytes(const shape& s) { return detail::strip_in_lds(s).elements() * 4; }

// Of a kernel that runs a pipeline, with `tables` bytes for the tables of its windows behind, and then an epilogue.
constexpr int lds_bytes(const shape& s, main_loop p, int tables = 0, epilogue e = epilogue::through_lds)
{
    const int loop = main_loop_lds_bytes(s, p) + tables, end = e == epilogue::through_lds ? epilogue_lds_bytes(s) : 0;
    return loop > end ? loop : end;
}

// The functor of an epilogue that leaves C as it is.
struct unchanged
{
    CK_TILE_FN constexpr float operator()(float c) const { return c; }
};

namespace detail
{
// f of C and of what the further windows see, in the type of the output.
template <class T, class C, distribution D, class F, class... Window>
CK_TILE_FN auto finished(const tile<C, D>& c, const F& f, const Window&... more)
{
    if constexpr(std::is_same_v<F, unchanged>)
        return convert<T>(c);
    else
        return convert<T>(map(f, c, convert<float>(rearrange<D>(load(more)))...));
}
} // namespace detail

// Writes strips of C, one below the other, f applied and converted to T, from `origin` of a view over (m, n) on whose rows are
// contiguous: `Vector` elements at a time, or 16 bytes, which must divide the length of a row and its distance to the next. So must the
// rows of the further views be, which f's further arguments come from.
template <shape S, int Vector, class Out, class F, class... More>
class strip_writer
{
    static constexpr distribution wide = detail::rows_at_once(S, Vector);
    template <class View>
    static constexpr distribution held = detail::in_vectors_of(wide, 16 / int(sizeof(typename View::element)));
    template <class View>
    using window_of = decltype(make_window<held<View>>(std::declval<const View&>(), multi_index<2>{}));
    template <class Window>
    using step_of = decltype(std::declval<const Window&>().template step<0>(0));

    // A window with its step to the rows below.
    template <class View>
    struct descending
    {
        window_of<View> window;
        step_of<window_of<View>> down;

        CK_TILE_FN descending(const View& view, const multi_index<2>& origin)
            : window(view, origin), down(window.template step<0>(wide.lengths[0]))
        {
        }
    };

  public:
    CK_TILE_FN strip_writer(const Out& to, const multi_index<2>& origin, const F& f, const More&... more)
        : out_(to, origin), more_{descending<More>{more, origin}...}, f_(f)
    {
    }

    CK_TILE_FN void write(const strip_tile<S>& strip)
    {
        CK_TILE_KEEP_LOOP
        for(int row = 0; row < strip.layout.rows; row += wide.lengths[0])
            [&]<std::size_t... i>(std::index_sequence<i...>) {
                const auto finished = detail::finished<typename Out::element>(load<wide>(strip, {row, 0}), f_,
                                                                              member<int(i)>(more_).window...);
                ck_tile::store(out_.window, rearrange<held<Out>>(finished));
                out_.window.move(out_.down);
                (member<int(i)>(more_).window.move(member<int(i)>(more_).down), ...);
            }(std::index_sequence_for<More...>{});
    }

  private:
    descending<Out> out_;
    boost::hana::basic_tuple<descending<More>...> more_;
    F f_;
};

template <shape S, int Vector, class Out, class F = unchanged, class... More>
CK_TILE_FN strip_writer<S, Vector, Out, F, More...> make_strip_writer(const Out& to, const multi_index<2>& origin,
                                                                      const F& f = {}, const More&... more)
{
    return {to, origin, f, more...};
}

// Calls visit(strip) for the strips of C, from the first rows to the last, each of them in LDS.
template <shape S, class Visit>
CK_TILE_FN void each_strip(const block& in, const tile<float, accumulator(S)>& acc, Visit&& visit)
{
    const strip_tile<S> strip{in.lds_at<float>(0)};
    static_for<S.row_fragments()>([&](auto i) {
        in.sync(); // the operands, or the strip before, have been read
        ck_tile::store(strip, detail::take_strip<S>(acc, i));
        in.sync();
        visit(strip);
    });
}

// Writes C at `origin` of a view, through LDS: see strip_writer.
template <shape S, int Vector, class Out, class F = unchanged, class... More>
CK_TILE_FN void store_through_lds(const block& in, const tile<float, accumulator(S)>& acc, const Out& to,
                                  const multi_index<2>& origin, const F& f = {}, const More&... more)
{
    if constexpr(legal_shape<S>::value)
    {
        auto out = make_strip_writer<S, Vector>(to, origin, f, more...);
        each_strip<S>(in, acc, [&](const strip_tile<S>& strip) { out.write(strip); });
    }
}

// Writes C at `origin` of a view, f applied and converted to its type, when lanes have exchanged what they hold. Elements of 4 bytes
// leave in pairs, as they are.
template <shape S, class Out, class F = unchanged, class... More>
CK_TILE_FN void store_through_lanes(const tile<float, accumulator(S)>& acc, const Out& to, const multi_index<2>& origin,
                                    const F& f = {}, const More&... more)
{
    if constexpr(legal_shape<S>::value)
    {
        using element                  = typename Out::element;
        constexpr distribution columns = detail::exchanged_columns(S);
        constexpr bool exchanges       = sizeof(element) == 2;
        constexpr distribution wide    = along_k(exchanges ? digits_traded(columns) : columns);
        constexpr int step             = columns.lengths[1];
        static_for<S.n / step>([&](auto i) {
            constexpr multi_index<3> from = {0, i * step, 0};
            const multi_index<2> at       = {origin[0], origin[1] + from[1]};
            const auto c                  = [&] { // half as many words, where they need not be fp32
                const auto some = subtile<columns, from>(acc);
                if constexpr(!exchanges)
                    return some;
                else if constexpr(std::is_same_v<F, unchanged>)
                    return trade_digits(convert<element>(some));
                else
                    return trade_digits(some);
            }();
            store(make_window<wide>(to, at),
                  detail::finished<element>(
                      rearrange<wide>(c), f,
                      make_window<detail::in_vectors_of(wide, 16 / int(sizeof(typename More::element)))>(more, at)...));
        });
    }
}

// Writes C at `origin` of a view, f applied and converted to its type, without LDS.
template <shape S, class Out, class F = unchanged, class... More>
CK_TILE_FN void store_directly(const tile<float, accumulator(S)>& acc, const Out& to, const multi_index<2>& origin,
                               const F& f = {}, const More&... more)
{
    if constexpr(legal_shape<S>::value)
    {
        constexpr distribution single = detail::one_by_one(S);
        ck_tile::store(
            make_window<single>(to, origin),
            detail::finished<typename Out::element>(rearrange<single>(acc), f, make_window<single>(more, origin)...));
    }
}

// Writes C at `origin` of a view by one of the epilogues, in vectors of `Vector` elements.
template <shape S, epilogue E, int Vector, class Out, class... FinishAndViews>
CK_TILE_FN void store_result(const block& in, const tile<float, accumulator(S)>& acc, const Out& to,
                             const multi_index<2>& origin, const FinishAndViews&... finish_and_views)
{
    if constexpr(E == epilogue::direct)
        store_directly<S>(acc, to, origin, finish_and_views...);
    else if constexpr(E == epilogue::through_lanes)
        store_through_lanes<S>(acc, to, origin, finish_and_views...);
    else
        store_through_lds<S, Vector>(in, acc, to, origin, finish_and_views...);
}

} // namespace ck_tile::gemm
