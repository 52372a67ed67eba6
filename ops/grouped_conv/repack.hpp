// SPDX-License-Identifier: MIT
// Matrices of pixels and channels packed in another way: transposed, or with more channels, which are zeros, or with fewer; or unfolded along
// lines of pixels: what a window sees of a line is the channels of one pixel.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/views.hpp"

namespace ck_tile::conv
{

// Distances in elements. Matrix (i, j) of a tensor, of outer x inner ones, begins at i * outer + j * inner.
struct matrix_strides
{
    std::int64_t outer, inner;
    int line; // from one line to the next; the elements of a line lie side by side
};

// What a block moves at a time. `turned`: lines of the result are columns, and threads turn patches in their registers.
enum class repack_tile
{
    lines,
    short_lines, // of 16 bytes at most
    turned,
    turned_few_rows, // such as the taps of weights: neighbouring lanes have those of a column, whose channels are vectors
    turned_few_columns,
    unfolded,       // lines of what windows see
    short_unfolded, // of 32 bytes at most
    folded          // of these, weights
};

// Lines of pixels, and the windows along them.
struct unfolded_lines
{
    int count, length;                 // lines of an image, pixels of each
    divider channels, positions, taps; // of a pixel; of windows along a line, of elements in a window
    int before, stride, dilation; // pixels that do not exist before a line; from one window, from one tap to the next
    multi_index<3> strides;       // in memory, of [line, pixel, channel], in elements
};

struct repack_arguments
{
    const void* from;
    void* to;
    matrix_strides in_from, in_to;
    int inner, there; // matrices of the result in a row of them, and how many of those `from` has; the others are zeros
    int from_rows, from_cols, to_rows, to_cols; // of a matrix; what `from` does not have is zeros
    repack_tile tile;
    bool loads, stores; // whether 16 bytes can be moved at once
    int tiles_rows, tiles_cols;
    unfolded_lines lines; // of what is unfolded, or of what folded lines become: then the other matrices are packed
};

// What a block does: each thread moves lines of 16 bytes, or turns a patch of them in its registers. Lanes of a wave and bytes of an
// element say all, so that the CPU's shapes and types which have the same share one compilation.
template <int Wave, int Bytes>
struct repack_block
{
    static constexpr int wave    = Wave;
    static constexpr int threads = 256;
    using arguments              = repack_arguments;
    using element                = element_t<Bytes == 2 ? data_type::fp16 : data_type::fp32>;
    static_assert(sizeof(element) == Bytes, "elements have 2 or 4 bytes");

    static constexpr int line = 16 / Bytes;
    static constexpr int few  = 16; // rows or columns

    static constexpr bool is_turned(repack_tile t)
    {
        using enum repack_tile;
        return t == turned || t == turned_few_rows || t == turned_few_columns;
    }
    // Threads side by side along lines.
    static constexpr int across(repack_tile t)
    {
        using enum repack_tile;
        return t == lines ? 8 : t == unfolded || t == folded ? 4 : t == short_unfolded ? 2 : 1;
    }
    // Of a tile, where a line of 16 bytes has so many elements.
    static constexpr int rows(repack_tile t, int of_line = line)
    {
        switch(t)
        {
        case repack_tile::lines:
        case repack_tile::short_lines:
        case repack_tile::unfolded:
        case repack_tile::short_unfolded:
        case repack_tile::folded: return threads / across(t) * 4;
        case repack_tile::turned: return threads / 8 * of_line;
        case repack_tile::turned_few_rows: return few;
        case repack_tile::turned_few_columns: return threads / few * of_line * 4;
        }
        __builtin_unreachable();
    }
    static constexpr int cols(repack_tile t, int of_line = line)
    {
        switch(t)
        {
        case repack_tile::lines:
        case repack_tile::short_lines:
        case repack_tile::unfolded:
        case repack_tile::short_unfolded:
        case repack_tile::folded: return across(t) * of_line;
        case repack_tile::turned: return 8 * of_line;
        case repack_tile::turned_few_rows: return threads / few * of_line * 4;
        case repack_tile::turned_few_columns: return few;
        }
        __builtin_unreachable();
    }

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        if(a.tile == repack_tile::turned_few_rows)
            repack<slices<1, true>(), slices<1, false>()>(b, a);
        else if(a.tile == repack_tile::turned_few_columns)
            repack<slices<0, false>(), slices<0, true>()>(b, a);
        else if(a.tile == repack_tile::unfolded)
            unfold<repack_tile::unfolded>(b, a);
        else if(a.tile == repack_tile::short_unfolded)
            unfold<repack_tile::short_unfolded>(b, a);
        else if(a.tile == repack_tile::folded)
            unfold<repack_tile::folded>(b, a);
        else
            choose(a.loads, [&]<int Load>() CK_TILE_INLINE {
                choose(a.stores, [&]<int Store>() CK_TILE_INLINE {
                    if(a.tile == repack_tile::turned)
                        repack<patches<Load, Store, 1>(), patches<Load, Store, 0>()>(b, a);
                    else if(a.tile == repack_tile::short_lines)
                        repack<lines<repack_tile::short_lines, Load>(), lines<repack_tile::short_lines, Store>()>(b, a);
                    else
                        repack<lines<repack_tile::lines, Load>(), lines<repack_tile::lines, Store>()>(b, a);
                });
            });
    }

  private:
    // Vectors need lines that are whole ones, in the one tensor to load, in the other to store.
    template <class F>
    static CK_TILE_FN void choose(bool vectors, F&& f)
    {
        if(vectors) [[clang::always_inline]]
            f.template operator()<line>();
        else [[clang::always_inline]]
            f.template operator()<1>();
    }

    // A thread's lines, of as many threads as stand side by side, in vectors.
    template <repack_tile Tile, int Vector>
    static constexpr distribution lines()
    {
        constexpr int side = across(Tile), down = wave / side;
        return {.lengths = {rows(Tile), cols(Tile)},
                .wave    = {{threads / wave, 0, down}},
                .lane    = {{side, 1, line}, {down, 0, 1}},
                .reg     = {{line / Vector, 1, Vector}, {4, 0, threads / side}},
                .vec     = {{Vector, 1, 1}}};
    }

    // A patch, in vectors along dimension Along. Where a matrix has no vectors to load or store, neighbouring elements are those of
    // neighbouring lanes.
    template <int Load, int Store, int Along>
    static constexpr distribution patches()
    {
        constexpr int across = 8, down = wave / across; // lanes along columns and rows
        constexpr int vector = Along == 1 ? Load : Store, step[2] = {Store == 1 ? down : 1, Load == 1 ? across : 1};
        digits regs = {{line / vector, Along, vector * step[Along]}, {line, 1 - Along, step[1 - Along]}};
        return {.lengths = {rows(repack_tile::turned), cols(repack_tile::turned)},
                .wave    = {{threads / wave, 0, down * line}},
                .lane    = {{across, 1, Load == 1 ? 1 : line}, {down, 0, Store == 1 ? 1 : line}},
                .reg     = regs,
                .vec     = {{vector, Along, 1}}};
    }

    // Lines of 16 bytes along dimension Along, of which there are few beside each other; as vectors, or as elements one by one.
    template <int Along, bool Vectors>
    static constexpr distribution slices()
    {
        constexpr repack_tile t = Along == 1 ? repack_tile::turned_few_rows : repack_tile::turned_few_columns;
        constexpr int along = wave / few, vector = Vectors ? line : 1;
        return {.lengths = {rows(t), cols(t)},
                .wave    = {{threads / wave, Along, along * line}},
                .lane    = {{few, 1 - Along, 1}, {along, Along, line}},
                .reg     = {{line / vector, Along, vector}, {4, Along, threads / few * line}},
                .vec     = {{vector, Along, 1}}};
    }

    // A tile: in which matrix, and where there.
    struct coord
    {
        int outer, inner;
        multi_index<2> origin;

        CK_TILE_FN std::int64_t first(const matrix_strides& s) const { return outer * s.outer + inner * s.inner; }
    };
    static CK_TILE_FN coord coord_of(const block& b, const arguments& a, int rows, int cols)
    {
        const int number = static_cast<int>(b.at.x), tiles = a.tiles_rows * a.tiles_cols, matrix = number / tiles,
                  tile = number % tiles;
        return {matrix / a.inner, matrix % a.inner, {tile / a.tiles_cols * rows, tile % a.tiles_cols * cols}};
    }

    // Elements from the first of some lines to the last.
    static CK_TILE_FN std::int64_t elements(int lines, int distance, int length)
    {
        return lines == 0 ? 0 : std::int64_t(lines - 1) * distance + length;
    }

    template <distribution AsLoaded, distribution AsStored>
    static CK_TILE_FN void repack(const block& b, const arguments& a)
    {
        const coord at         = coord_of(b, a, AsLoaded.lengths[0], AsLoaded.lengths[1]);
        const tensor_view from = {static_cast<const element*>(a.from) + at.first(a.in_from),
                                  at.inner < a.there ? elements(a.from_rows, a.in_from.line, a.from_cols) : 0,
                                  transform(strided<2>{{a.from_rows, a.from_cols}, {a.in_from.line, 1}},
                                            along<dims{0}, dims{0}>(pad{a.from_rows, 0, a.to_rows - a.from_rows}),
                                            along<dims{1}, dims{1}>(pad{a.from_cols, 0, a.to_cols - a.from_cols}))};
        const bool turned      = is_turned(a.tile);
        const int lines = turned ? a.to_cols : a.to_rows, length = turned ? a.to_rows : a.to_cols;
        const tensor_view to = {
            static_cast<element*>(a.to) + at.first(a.in_to), elements(lines, a.in_to.line, length),
            strided<2>{{a.to_rows, a.to_cols}, {turned ? 1 : a.in_to.line, turned ? a.in_to.line : 1}}};
        store(make_window<AsStored>(to, at.origin), rearrange<AsStored>(load(make_window<AsLoaded>(from, at.origin))));
    }

    // An image's [line x window, tap x channel], with zeros behind to whole vectors, of pixels; or the other way.
    template <repack_tile Tile>
    static CK_TILE_FN void unfold(const block& b, const arguments& a)
    {
        constexpr distribution by_element = lines<Tile, 1>(), by_vector = lines<Tile, line>();
        const coord at          = coord_of(b, a, by_vector.lengths[0], by_vector.lengths[1]);
        const unfolded_lines& l = a.lines;
        const int rows          = l.count * l.positions.divisor;
        const windows<1> seen   = {.images    = l.count,
                                   .channels  = l.channels,
                                   .lengths   = {l.length},
                                   .before    = {l.before},
                                   .after     = {0},
                                   .positions = {{l.positions}},
                                   .taps      = {{l.taps}},
                                   .stride    = {l.stride},
                                   .dilation  = {l.dilation},
                                   .strides   = {l.strides[0], l.strides[1], l.strides[2]}};
        const auto pixels_of    = [&](auto* data, const matrix_strides& s) {
            const std::int64_t all = std::int64_t(l.count - 1) * l.strides[0] +
                                     std::int64_t(l.length - 1) * l.strides[1] +
                                     std::int64_t(l.channels.divisor - 1) * l.strides[2] + 1;
            return tensor_view{data + at.first(s), all, seen.positions_by_taps(rows)};
        };
        const auto lines_of = [&](auto* data, const matrix_strides& s) {
            return packed_view(data + at.first(s), rows, a.to_cols);
        };
        if constexpr(Tile != repack_tile::folded)
            store(make_window<by_vector>(lines_of(static_cast<element*>(a.to), a.in_to), at.origin),
                  rearrange<by_vector>(load(
                      make_window<by_element>(pixels_of(static_cast<const element*>(a.from), a.in_from), at.origin))));
        else
            store(make_window<by_element>(pixels_of(static_cast<element*>(a.to), a.in_to), at.origin),
                  rearrange<by_element>(load(
                      make_window<by_vector>(lines_of(static_cast<const element*>(a.from), a.in_from), at.origin))));
    }
};

template <architecture Arch, data_type Type>
struct repack_program : repack_block<facts(Arch).wave, bytes_of(Type)>
{
    static constexpr architecture arch = Arch;
    static constexpr int lds_bytes     = 0;
};

} // namespace ck_tile::conv
