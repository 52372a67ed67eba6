// SPDX-License-Identifier: MIT
// Epilogues: how the accumulator becomes output, converted to its type, or as fp32 partials when the reduction is split.
//
// A lane holds a column of C, memory wants rows.
//   through_lds   C goes through LDS, one strip of rows at a time, and leaves as wide vectors along the rows
//   direct        each lane writes what it holds, element by element: as good where vectors are of one element anyway, and
//                 needs neither LDS nor barriers
#pragma once

#include "ck_tile/gemm/pipelines.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile::gemm
{

enum class epilogue
{
    through_lds,
    direct
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::epilogue>
{
    using enum gemm::epilogue;
    static constexpr const char* type                 = "gemm::epilogue";
    static constexpr enumerator<gemm::epilogue> all[] = {{through_lds, "through_lds"}, {direct, "direct"}};
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
    const int down      = s.inst().a.lanes() / row.lanes; // lanes
    return {.lengths = {s.waves() / row.waves * down, s.n},
            .wave    = {{row.waves, 1, row.lanes * vector}, {s.waves() / row.waves, 0, down}},
            .lane    = {{row.lanes, 1, vector}, {down, 0, 1}},
            .reg     = {{row.regs, 1, row.lanes * row.waves * vector}},
            .vec     = {{vector, 1, 1}}};
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

// Strip `i` of the accumulator: every row_fragments-th register.
template <shape S>
CK_TILE_FN auto take_strip(const tile<float, accumulator(S)>& acc, int i)
{
    constexpr int rows = S.row_fragments(), cols = S.col_fragments();
    tile<float, strip(S)> part;
    for_each_thread<strip(S)>([&](thread t) {
        CK_TILE_UNROLL
        for(int j = 0; j < cols; ++j)
            part.of(t).reg[j] = acc.of(t).reg[i + rows * j];
    });
    return part;
}
} // namespace detail

// One strip of C in LDS.
template <shape S>
using strip_tile = lds_tile<float, detail::strip_in_lds(S)>;

constexpr int epilogue_lds_bytes(const shape& s) { return detail::strip_in_lds(s).elements() * 4; }

// Of a kernel that runs a pipeline, with `tables` bytes for the tables of its windows behind, and then an epilogue.
constexpr int lds_bytes(const shape& s, main_loop p, int tables = 0, epilogue e = epilogue::through_lds)
{
    const int loop = main_loop_lds_bytes(s, p) + tables, end = e == epilogue::direct ? 0 : epilogue_lds_bytes(s);
    return loop > end ? loop : end;
}

// Writes strips of C, one below the other, converted to T, from `origin` of a view over (m, n) on whose rows are contiguous:
// `Vector` elements at a time, which must divide the length of a row and its distance to the next.
template <shape S, int Vector, class T, class Map>
class strip_writer
{
    static constexpr distribution wide = detail::rows_at_once(S, Vector);

  public:
    CK_TILE_FN strip_writer(const tensor_view<T, Map>& to, const multi_index<2>& origin)
        : out_(to, origin), down_(out_.template step<0>(wide.lengths[0]))
    {
    }

    CK_TILE_FN void write(const strip_tile<S>& strip)
    {
        CK_TILE_KEEP_LOOP
        for(int row = 0; row < strip.layout.rows; row += wide.lengths[0])
        {
            ck_tile::store(out_, convert<T>(load<wide>(strip, {row, 0})));
            out_.move(down_);
        }
    }

  private:
    window<T, Map, wide> out_;
    decltype(out_.template step<0>(0)) down_;
};

template <shape S, int Vector, class T, class Map>
CK_TILE_FN strip_writer<S, Vector, T, Map> make_strip_writer(const tensor_view<T, Map>& to,
                                                             const multi_index<2>& origin)
{
    return {to, origin};
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

// Writes C, converted to T, at `origin` of a view: see strip_writer.
template <shape S, int Vector, class T, class Map>
CK_TILE_FN void store_through_lds(const block& in, const tile<float, accumulator(S)>& acc,
                                  const tensor_view<T, Map>& to, multi_index<2> origin)
{
    auto out = make_strip_writer<S, Vector>(to, origin);
    each_strip<S>(in, acc, [&](const strip_tile<S>& strip) { out.write(strip); });
}

// Writes C, converted to T, at `origin` of a view, without LDS.
template <shape S, class T, class Map>
CK_TILE_FN void store_directly(const tile<float, accumulator(S)>& acc, const tensor_view<T, Map>& to,
                               const multi_index<2>& origin)
{
    constexpr distribution single = detail::one_by_one(S);
    ck_tile::store(make_window<single>(to, origin), convert<T>(rearrange<single>(acc)));
}

} // namespace ck_tile::gemm
