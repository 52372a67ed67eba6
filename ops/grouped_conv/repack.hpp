// SPDX-License-Identifier: MIT
// Matrices of pixels and channels packed in another way: transposed, or with more channels, which are zeros, or with fewer.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

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
    turned_few_columns
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
};

// Each thread moves lines of 16 bytes, or turns a patch of them in its registers.
template <architecture Arch, data_type Type>
struct repack_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    using arguments                    = repack_arguments;
    using element                      = element_t<Type>;

    static constexpr int line = 16 / bytes_of(Type);
    static constexpr int few  = 16; // rows or columns

    static constexpr bool is_turned(repack_tile t) { return t != repack_tile::lines && t != repack_tile::short_lines; }
    // Of a tile, where a line of 16 bytes has so many elements.
    static constexpr int rows(repack_tile t, int of_line = line)
    {
        switch(t)
        {
        case repack_tile::lines: return threads / 8 * 4;
        case repack_tile::short_lines: return threads * 4;
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
        case repack_tile::turned: return 8 * of_line;
        case repack_tile::short_lines: return of_line;
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
        else
            choose(a.loads, [&]<int Load>() CK_TILE_INLINE {
                choose(a.stores, [&]<int Store>() CK_TILE_INLINE {
                    if(a.tile == repack_tile::turned)
                        repack<patches<Load, Store, 1>(), patches<Load, Store, 0>()>(b, a);
                    else if(a.tile == repack_tile::short_lines)
                        repack<lines<1, Load>(), lines<1, Store>()>(b, a);
                    else
                        repack<lines<8, Load>(), lines<8, Store>()>(b, a);
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

    // A thread's lines, `Across` threads side by side, in vectors.
    template <int Across, int Vector>
    static constexpr distribution lines()
    {
        constexpr repack_tile t = Across == 1 ? repack_tile::short_lines : repack_tile::lines;
        constexpr int down      = wave / Across;
        return {.lengths = {rows(t), cols(t)},
                .wave    = {{threads / wave, 0, down}},
                .lane    = {{Across, 1, line}, {down, 0, 1}},
                .reg     = {{line / Vector, 1, Vector}, {4, 0, threads / Across}},
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

    template <distribution AsLoaded, distribution AsStored>
    static CK_TILE_FN void repack(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), tiles = a.tiles_rows * a.tiles_cols, matrix = number / tiles;
        const int tile = number % tiles, outer = matrix / a.inner, inner = matrix % a.inner;
        const multi_index<2> origin = {tile / a.tiles_cols * AsLoaded.lengths[0],
                                       tile % a.tiles_cols * AsLoaded.lengths[1]};
        const auto first            = [&](const matrix_strides& s) { return outer * s.outer + inner * s.inner; };
        const auto elements         = [](int lines, int distance, int length) {
            return lines == 0 ? 0 : std::int64_t(lines - 1) * distance + length;
        };
        const tensor_view from = {static_cast<const element*>(a.from) + first(a.in_from),
                                  inner < a.there ? elements(a.from_rows, a.in_from.line, a.from_cols) : 0,
                                  transform(strided<2>{{a.from_rows, a.from_cols}, {a.in_from.line, 1}},
                                            along<dims{0}, dims{0}>(pad{a.from_rows, 0, a.to_rows - a.from_rows}),
                                            along<dims{1}, dims{1}>(pad{a.from_cols, 0, a.to_cols - a.from_cols}))};
        const bool turned      = is_turned(a.tile);
        const int lines = turned ? a.to_cols : a.to_rows, length = turned ? a.to_rows : a.to_cols;
        const tensor_view to = {
            static_cast<element*>(a.to) + first(a.in_to), elements(lines, a.in_to.line, length),
            strided<2>{{a.to_rows, a.to_cols}, {turned ? 1 : a.in_to.line, turned ? a.in_to.line : 1}}};
        store(make_window<AsStored>(to, origin), rearrange<AsStored>(load(make_window<AsLoaded>(from, origin))));
    }
};

} // namespace ck_tile::conv
