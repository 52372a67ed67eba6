// SPDX-License-Identifier: MIT
// A tile in LDS, its rows padded or its chunks permuted so that lanes meet different banks.
#pragma once

#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/numeric/types.hpp"

namespace ck_tile
{

// Lengths and strides are in elements. At most one of `pad` and `chunk` is used.
struct lds_layout
{
    int rows          = 1;
    int cols          = 1; // contiguous
    int pad           = 0; // elements between rows
    int chunk         = 0; // elements that stay together when chunks are permuted (0: not permuted)
    int rows_per_turn = 1; // rows that keep one permutation

    static constexpr int contiguous = 1; // the dimension
    CK_TILE_FN constexpr int line() const { return cols + pad; }
    CK_TILE_FN constexpr int elements() const { return rows * line(); }

    // The chain from (row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const strided<2> memory = {{rows, cols}, {line(), 1}};
        return transform(
            memory, along<dims{0, 1}, dims{0, 1}>(xor_chunks{rows, cols, chunk > 0 ? chunk : cols, rows_per_turn}));
    }

    friend constexpr bool operator==(const lds_layout&, const lds_layout&) = default;
};

// The layout whose vector accesses along the rows meet no bank twice: permuted chunks, where the row has a power of two of
// them; else rows an odd number of vectors apart.
constexpr lds_layout swizzled(int rows, int cols, int element_bytes, int vector_bytes, int lds_banks)
{
    const int chunk  = vector_bytes / element_bytes;
    const int chunks = cols / chunk;
    const int turn   = lds_banks * 4 / (cols * element_bytes); // rows that fill all banks once
    if(cols % chunk != 0 || (chunks & (chunks - 1)) != 0)
        return {.rows = rows, .cols = cols, .pad = chunks % 2 == 0 ? chunk : 0};
    return {.rows = rows, .cols = cols, .pad = 0, .chunk = chunk, .rows_per_turn = turn > 1 ? turn : 1};
}

// A tile whose rows lie side by side, in slabs of 64 elements (128 bytes of a 16-bit type): within a slab, one line per
// column, its 16-byte chunks permuted by the column. It is what Hopper's wgmma reads as an operand that is "MN-major" with a
// swizzle of 128 bytes, and what vectors along the rows are stored into without bank conflicts. Rows: a multiple of 64,
// columns: of 8; it starts at a multiple of 1024 bytes.
struct slab_layout
{
    int rows;
    int cols;

    static constexpr int slab = 64, chunk = 8;
    static constexpr int contiguous = 0;
    CK_TILE_FN constexpr int line() const { return slab; }
    CK_TILE_FN constexpr int elements() const { return rows * cols; }

    // The chain from (row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const int slabs     = rows / slab;
        const auto lines    = transform(strided<2>{{slabs * cols, slab}, {slab, 1}},
                                        along<dims{0, 1}, dims{0, 1}>(xor_chunks{slabs * cols, slab, chunk, 1, false}));
        const auto in_slabs = transform(lines, along<dims{0}, dims{0, 1}>(unmerge<2>{{slabs, cols}}),
                                        along<dims{1}, dims{2}>(pass_through{slab}));
        return transform(in_slabs, along<dims{0, 2}, dims{0}>(merge<2>{{slabs, slab}}),
                         along<dims{1}, dims{1}>(pass_through{cols}));
    }

    friend constexpr bool operator==(const slab_layout&, const slab_layout&) = default;
};

// `Layout` is one of the above.
template <class T, auto Layout>
struct lds_tile
{
    using element                = T;
    static constexpr auto layout = Layout;
    static constexpr int bytes   = Layout.elements() * static_cast<int>(sizeof(T));
    T* data;

    CK_TILE_FN T* at(int row, int col) const { return data + Layout.map()({row, col}).offset; }
};

} // namespace ck_tile
