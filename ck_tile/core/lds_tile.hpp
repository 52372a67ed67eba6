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

// Which dimension of an operand [rows, k] of a matrix product is contiguous: the rows (those of A number m, those of B n), or k.
enum class majorness
{
    mn,
    k
};

constexpr int contiguous_dimension(majorness m) { return m == majorness::mn ? 0 : 1; }

// A tile in lines of 128 bytes of a 16-bit type along its contiguous dimension, whose 16-byte chunks are permuted by the line's
// number. Where the dimension is longer than a line, the tile is panels one line wide, one after the other. It is what
// Hopper's wgmma reads as an operand with a swizzle of 128 bytes, and vectors along a line are stored into it without bank
// conflicts. The contiguous length is a multiple of 64, the other one of 8; the tile starts at a multiple of 1024 bytes.
template <majorness Major>
struct swizzled_128b
{
    int rows;
    int cols;

    static constexpr int panel = 64, chunk = 8;
    static constexpr int contiguous = contiguous_dimension(Major);
    CK_TILE_FN constexpr int line() const { return panel; }
    CK_TILE_FN constexpr int lines() const { return contiguous == 0 ? cols : rows; } // of a panel
    CK_TILE_FN constexpr int elements() const { return rows * cols; }

    // The chain from (row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const int panels     = (contiguous == 0 ? rows : cols) / panel;
        const int all        = panels * lines();
        const auto permuted  = transform(strided<2>{{all, panel}, {panel, 1}},
                                         along<dims{0, 1}, dims{0, 1}>(xor_chunks{all, panel, chunk, 1, false}));
        const auto in_panels = transform(permuted, along<dims{0}, dims{0, 1}>(unmerge<2>{{panels, lines()}}),
                                         along<dims{1}, dims{2}>(pass_through{panel}));
        return transform(in_panels, along<dims{0, 2}, dims{contiguous}>(merge<2>{{panels, panel}}),
                         along<dims{1}, dims{1 - contiguous}>(pass_through{lines()}));
    }

    friend constexpr bool operator==(const swizzled_128b&, const swizzled_128b&) = default;
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
