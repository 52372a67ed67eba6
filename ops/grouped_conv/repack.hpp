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

struct repack_arguments
{
    const void* from;
    void* to;
    matrix_strides in_from, in_to;
    int inner, there; // matrices of the result in a row of them, and how many of those `from` has; the others are zeros
    int from_rows, from_cols, to_rows, to_cols; // of a matrix; what `from` does not have is zeros
    bool turned;                                // lines of the result are columns
    int across;                                 // threads of a block along columns: repack_program::across()
    bool loads, stores;                         // whether 16 bytes can be moved at once
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

    // How many threads of a block are along columns, of matrices of so many rows and columns and lines of `of_line` elements: short lines, and
    // the few taps of weights beside channels in vectors, have tiles of their own.
    static constexpr int across(const repack_arguments& a, std::int64_t rows, std::int64_t cols, int of_line)
    {
        if(!a.turned)
            return cols <= of_line ? 1 : 8;
        return a.loads && rows <= 2 * of_line ? threads : a.stores && cols <= 2 * of_line ? 2 : 8;
    }

    // What a block moves.
    static constexpr int rows(bool turned, int across) { return threads / across * (turned ? line : 4); }
    static constexpr int cols(int across) { return across * line; }

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto turn = [&]<int Across, int Load, int Store>() CK_TILE_INLINE {
            repack<patches<Across, Load, Store, 1>(), patches<Across, Load, Store, 0>()>(b, a);
        };
        if(a.turned && a.across == threads)
            turn.template operator()<threads, line, 1>();
        else if(a.turned && a.across == 2)
            turn.template operator()<2, 1, line>();
        else
            choose(a.loads, [&]<int Load>() CK_TILE_INLINE {
                choose(a.stores, [&]<int Store>() CK_TILE_INLINE {
                    if(a.turned)
                        turn.template operator()<8, Load, Store>();
                    else if(a.across == 1)
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

    // A thread's lines, in vectors.
    template <int Across, int Vector>
    static constexpr distribution lines()
    {
        constexpr int down = wave / Across;
        return {.lengths = {rows(false, Across), cols(Across)},
                .wave    = {{threads / wave, 0, down}},
                .lane    = {{Across, 1, line}, {down, 0, 1}},
                .reg     = {{line / Vector, 1, Vector}, {4, 0, threads / Across}},
                .vec     = {{Vector, 1, 1}}};
    }

    // A patch, in vectors along dimension Along. Where a matrix has no vectors to load or store, neighbouring elements are those of
    // neighbouring lanes.
    template <int Across, int Load, int Store, int Along>
    static constexpr distribution patches()
    {
        constexpr int lanes = Across < wave ? Across : wave, down = wave / lanes; // along columns and rows
        constexpr int vector = Along == 1 ? Load : Store, step[2] = {Store == 1 ? down : 1, Load == 1 ? lanes : 1};
        digits regs = {{line / vector, Along, vector * step[Along]}, {line, 1 - Along, step[1 - Along]}};
        return {.lengths = {rows(true, Across), cols(Across)},
                .wave = {Across > wave ? digit{threads / wave, 1, wave * line} : digit{threads / wave, 0, down * line}},
                .lane = {{lanes, 1, Load == 1 ? 1 : line}, {down, 0, Store == 1 ? 1 : line}},
                .reg  = regs,
                .vec  = {{vector, Along, 1}}};
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
        const int lines = a.turned ? a.to_cols : a.to_rows, length = a.turned ? a.to_rows : a.to_cols;
        const tensor_view to = {
            static_cast<element*>(a.to) + first(a.in_to), elements(lines, a.in_to.line, length),
            strided<2>{{a.to_rows, a.to_cols}, {a.turned ? 1 : a.in_to.line, a.turned ? a.in_to.line : 1}}};
        store(make_window<AsStored>(to, origin), rearrange<AsStored>(load(make_window<AsLoaded>(from, origin))));
    }
};

} // namespace ck_tile::conv
