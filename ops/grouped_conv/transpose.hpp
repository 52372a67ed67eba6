// SPDX-License-Identifier: MIT
// Many matrices, one behind the other, transposed: what makes tensors of channels-first layouts channels-last ones, and back.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile::conv
{

struct transpose_arguments
{
    const void* from; // [matrices, rows, cols]
    void* to;         // [matrices, cols, rows]
    int rows, cols;
    int tiles_rows, tiles_cols;
};

// Each thread turns a patch of 16-byte lines in its registers.
template <architecture Arch, data_type Type>
struct transpose_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    using arguments                    = transpose_arguments;
    using element                      = element_t<Type>;

    static constexpr int line   = 16 / bytes_of(Type);
    static constexpr int across = 8, down = wave / across; // lanes along columns and rows
    static constexpr int rows = threads / across * line, cols = across * line;

    // Of a patch, in vectors along dimension Along. Where that matrix has no whole lines to load or store, neighbouring elements are those of
    // neighbouring lanes.
    template <int Load, int Store, int Along>
    static constexpr distribution patches()
    {
        constexpr int vector = Along == 1 ? Load : Store, step[2] = {Store == 1 ? down : 1, Load == 1 ? across : 1};
        digits regs = {{line / vector, Along, vector * step[Along]}, {line, 1 - Along, step[1 - Along]}};
        return {.lengths = {rows, cols},
                .wave    = {{threads / wave, 0, down * line}},
                .lane    = {{across, 1, Load == 1 ? 1 : line}, {down, 0, Store == 1 ? 1 : line}},
                .reg     = regs,
                .vec     = {{vector, Along, 1}}};
    }

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        // Vectors need rows that are whole lines, of the one matrix to load, of the other to store.
        const bool loads = a.cols % line == 0, stores = a.rows % line == 0;
        if(loads && stores)
            turn<line, line>(b, a);
        else if(loads)
            turn<line, 1>(b, a);
        else if(stores)
            turn<1, line>(b, a);
        else
            turn<1, 1>(b, a);
    }

  private:
    template <int Load, int Store>
    static CK_TILE_FN void turn(const block& b, const arguments& a)
    {
        const int tile = static_cast<int>(b.at.x), tiles = a.tiles_rows * a.tiles_cols, of_matrix = tile % tiles;
        const multi_index<2> origin = {of_matrix / a.tiles_cols * rows, of_matrix % a.tiles_cols * cols};
        const std::int64_t elements = std::int64_t(a.rows) * a.cols, begin = tile / tiles * elements;
        const tensor_view from = {static_cast<const element*>(a.from) + begin, elements, packed<2>({a.rows, a.cols})};
        const tensor_view to   = {static_cast<element*>(a.to) + begin, elements,
                                  strided<2>{{a.rows, a.cols}, {1, a.rows}}};
        constexpr distribution as_loaded = patches<Load, Store, 1>(), turned = patches<Load, Store, 0>();
        store(make_window<turned>(to, origin), rearrange<turned>(load(make_window<as_loaded>(from, origin))));
    }
};

} // namespace ck_tile::conv
