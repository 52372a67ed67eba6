// SPDX-License-Identifier: MIT
// Epilogues: how the accumulator becomes output, converted to its type, or as fp32 partials when the reduction is split.
//
// A lane holds a column of C, memory wants rows.
//   through_lds   C goes through LDS, one strip of rows at a time, and leaves as wide vectors along the rows
//   direct        each lane writes what it holds, element by element: as good where vectors are of one element anyway, and
//                 needs neither LDS nor barriers
//   by_wave       each wave sends its rows through lines of LDS of its own, behind those of the main loop: without barriers of the
//                 block, and while other tiles' operands come to LDS
// All take a functor of an element of C, in fp32, and of the elements at the same place of more views, which may be of any strides: a bias
// per column is repeated<0>(bias), one per row repeated<1>(bias), a residual a matrix. Along rows, views must be contiguous, or repeat. Where registers allow it, what
// belongs to whole columns or rows is best applied to the accumulator, with a load for each of a thread's columns or rows:
//
//   acc = map([](float c, float bias) { return relu(c + bias); }, acc, load(make_window<reduced<accumulator(S), 0>>(biases, origin)));
//   store_through_lds<S, 8>(b, acc, y, origin);
//
// A functor that has choose(visit) calls it with one that is called for elements: once for many, where it depends on an argument of the kernel.
#pragma once

#include "ck_tile/gemm/pipelines.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/subtile.hpp"

namespace ck_tile::gemm
{

enum class epilogue
{
    through_lds,
    direct,
    by_wave
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::epilogue>
{
    using enum gemm::epilogue;
    static constexpr const char* type                 = "gemm::epilogue";
    static constexpr enumerator<gemm::epilogue> all[] = {
        {through_lds, "through_lds"}, {direct, "direct"}, {by_wave, "by_wave"}};
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

// What one wave has in LDS of a strip: so many columns of elements of `bytes` each, 128 bytes or all. As fragments, and as vectors of 16 bytes
// along rows, or along columns, where the result is stored transposed: then these are tiles of the transposed strip.
constexpr int line_columns(const shape& s, int bytes)
{
    const int of_line = lds_line_chunks * lds_chunk_bytes / bytes;
    return s.n < of_line ? s.n : of_line;
}

constexpr distribution lines_as_fragments(const shape& s, int bytes)
{
    distribution d = strip(s);
    d.lengths[1]   = line_columns(s, bytes);
    d.reg          = {{line_columns(s, bytes) / s.fragment().n, 1, s.fragment().n}};
    return d;
}

constexpr distribution lines_as_vectors(const shape& s, int bytes, bool transposed)
{
    distribution d   = strip(s);
    const int vector = lds_chunk_bytes / bytes, lanes = s.fragment().a.lanes();
    const int length = transposed ? s.a_rows() : line_columns(s, bytes),
              width  = transposed ? line_columns(s, bytes) : s.a_rows();
    const int along = length / vector, across = lanes / along; // lanes
    d.lengths[1] = line_columns(s, bytes);
    if(transposed)
        d = ck_tile::transposed(d);
    d.lane = {{along, 1, vector}, {across, 0, 1}};
    d.reg  = {{width / across, 0, across}};
    d.vec  = {{vector, 1, 1}};
    return d;
}

constexpr lds_layout lines_in_lds(const shape& s, int bytes, bool transposed)
{
    const distribution fragments = lines_as_fragments(s, bytes),
                       written   = transposed ? ck_tile::transposed(fragments) : fragments;
    return free_of_conflicts(written.lengths[0], written.lengths[1], bytes, written,
                             lines_as_vectors(s, bytes, transposed));
}

// Whether waves have rows alone, of whole lines, or less than one.
constexpr bool has_lines(const shape& s)
{
    if(s.waves_n != 1 || s.n % line_columns(s, 2) != 0 || line_columns(s, 4) % s.fragment().n != 0 ||
       s.a_rows() * 2 % lds_chunk_bytes != 0)
        return false;
    const distribution rows = lines_as_vectors(s, 4, false), columns = lines_as_vectors(s, 2, true);
    return rows.covers() && columns.covers() && rows.threads() == s.threads();
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

constexpr int line_lds_bytes(const shape& s) { return s.waves() * s.a_rows() * lds_line_chunks * lds_chunk_bytes; }

// Where in LDS an epilogue is at work, in a kernel that runs a pipeline with `tables` bytes for the tables of its windows behind it;
// and the LDS of that kernel.
constexpr int epilogue_at(const shape& s, main_loop p, int tables, epilogue e)
{
    return e == epilogue::by_wave ? main_loop_lds_bytes(s, p) + tables : 0;
}
constexpr int lds_bytes(const shape& s, main_loop p, int tables = 0, epilogue e = epilogue::through_lds)
{
    const int loop = main_loop_lds_bytes(s, p) + tables;
    const int end  = e == epilogue::through_lds ? epilogue_lds_bytes(s)
                     : e == epilogue::by_wave   ? loop + line_lds_bytes(s)
                                                : 0;
    return loop > end ? loop : end;
}

// The functor of an epilogue that leaves C as it is.
struct unchanged
{
    CK_TILE_FN constexpr float operator()(float c) const { return c; }
};

namespace detail
{
// f of C and of as many elements of other tiles, in the type of the output.
template <class T, class C, distribution D, class F, class... Tile>
CK_TILE_FN tile<T, D> applied(const F& f, const tile<C, D>& c, const Tile&... more)
{
    if constexpr(requires { f.choose([](const auto&) {}); })
    {
        tile<T, D> chosen;
        f.choose([&](const auto& one) { chosen = applied<T>(one, c, more...); });
        return chosen;
    }
    else
        return convert<T>(map(f, c, more...));
}

// f of C and of what the further windows see, in the type of the output.
template <class T, class C, distribution D, class F, class... Window>
CK_TILE_FN tile<T, D> finished(const tile<C, D>& c, const F& f, const Window&... more)
{
    if constexpr(std::is_same_v<F, unchanged>)
        return convert<T>(c);
    else
        return applied<T>(f, c, convert<float>(rearrange<D>(load(more)))...);
}
} // namespace detail

// Writes tiles of C that `Wide` distributes, f applied and converted, one beside the other along dimension Dim of a view over (m, n), on
// whose rows are contiguous, in vectors of 16 bytes at most. f's further arguments come from further views.
template <distribution Wide, int Dim, class Out, class F, class... More>
class tile_writer
{
    template <class View>
    static constexpr distribution held = in_vectors(Wide, 16 / int(sizeof(typename View::element)));
    template <class View>
    using window_of = decltype(make_window<held<View>>(std::declval<const View&>(), multi_index<2>{}));

    // A window with its step to the next tile.
    template <class View>
    struct stepping
    {
        window_of<View> window;
        decltype(std::declval<const window_of<View>&>().template step<Dim>(0)) next;

        CK_TILE_FN stepping(const View& view, const multi_index<2>& origin)
            : window(view, origin), next(window.template step<Dim>(Wide.lengths[Dim]))
        {
        }
        CK_TILE_FN void move() { window.move(next); }
    };

  public:
    CK_TILE_FN tile_writer(const Out& to, const multi_index<2>& origin, const F& f, const More&... more)
        : out_(to, origin), more_{stepping<More>{more, origin}...}, f_(f)
    {
    }

    template <class T>
    CK_TILE_FN void write(const tile<T, Wide>& c)
    {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            const auto finished = detail::finished<typename Out::element>(c, f_, member<int(i)>(more_).window...);
            ck_tile::store(out_.window, rearrange<held<Out>>(finished));
            out_.move();
            (member<int(i)>(more_).move(), ...);
        }(std::index_sequence_for<More...>{});
    }

  private:
    stepping<Out> out_;
    boost::hana::basic_tuple<stepping<More>...> more_;
    F f_;
};

// Writes strips of C from LDS, one below the other from `origin` on: `Vector` elements at a time, or 16 bytes, which must divide the
// length of a row and its distance to the next. So must the rows of the further views be.
template <shape S, int Vector, class Out, class F, class... More>
class strip_writer
{
    static constexpr distribution wide = detail::rows_at_once(S, Vector);

  public:
    CK_TILE_FN strip_writer(const Out& to, const multi_index<2>& origin, const F& f, const More&... more)
        : rows_(to, origin, f, more...)
    {
    }

    CK_TILE_FN void write(const strip_tile<S>& strip)
    {
        CK_TILE_KEEP_LOOP
        for(int row = 0; row < strip.layout.rows; row += wide.lengths[0])
            rows_.write(load<wide>(strip, {row, 0}));
    }

  private:
    tile_writer<wide, 0, Out, F, More...> rows_;
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

// Writes C, or C transposed, at `origin` of a view, f applied and converted to its type: each wave its rows, through line_lds_bytes() of LDS
// at `LdsAt`. What f has nothing to add to goes there in the type of the output.
template <shape S, int LdsAt, bool Transposed = false, class Out, class F = unchanged, class... More>
CK_TILE_FN void store_by_wave(const block& in, const tile<float, accumulator(S)>& acc, const Out& to,
                              const multi_index<2>& origin, const F& f = {}, const More&... more)
{
    if constexpr(legal_shape<S>::value)
    {
        using element       = typename Out::element;
        using between       = std::conditional_t<std::is_same_v<F, unchanged>, element, float>;
        constexpr int bytes = sizeof(between), along = Transposed ? 1 : 0; // dimension of C's rows
        constexpr distribution wide      = detail::lines_as_vectors(S, bytes, Transposed),
                               fragments = detail::lines_as_fragments(S, bytes),
                               written   = Transposed ? transposed(fragments) : fragments;
        constexpr int rows = wide.lengths[along], columns = wide.lengths[1 - along];
        const lds_tile<between, detail::lines_in_lds(S, bytes, Transposed)> lines{in.lds_at<between>(LdsAt)};
        static_for<S.row_fragments()>([&](auto i) {
            multi_index<2> first = origin;
            first[along] += i * rows;
            tile_writer<wide, 1 - along, Out, F, More...> out(to, first, f, more...);
            static_for<S.n / columns>([&](auto j) {
                const auto some = subtile<fragments, multi_index{i * rows, j * columns, 0}>(acc);
                store(lines, convert<between>(renumber<written>(some)));
                sync_wave();
                out.write(load<wide>(lines));
                sync_wave();
            });
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
        constexpr distribution single = in_vectors(accumulator(S), 1);
        ck_tile::store(
            make_window<single>(to, origin),
            detail::finished<typename Out::element>(rearrange<single>(acc), f, make_window<single>(more, origin)...));
    }
}

} // namespace ck_tile::gemm
