// SPDX-License-Identifier: MIT
// A tile in LDS, its rows padded or its chunks permuted so that lanes meet different banks.
#pragma once

#include "ck_tile/core/lds_banks.hpp"
#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/core/transforms.hpp"
#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/primitives.hpp"

#include <cstddef>
#include <type_traits>

namespace ck_tile
{

// Lengths and strides are in elements. At most one of `pad` and `chunk` is used.
struct lds_layout
{
    int rows       = 1;
    int cols       = 1;  // contiguous
    int pad        = 0;  // elements between rows
    int chunk      = 0;  // elements of 16 bytes, which stay together when chunks are permuted (0: not permuted)
    bank_keys keys = {}; // by which they are

    static constexpr int contiguous = 1;               // the dimension
    static constexpr int alignment  = lds_chunk_bytes; // of the tile's start
    CK_TILE_FN constexpr int line() const { return cols + pad; }
    CK_TILE_FN constexpr int elements() const { return rows * line(); }

    // Where an element would be if no chunk were permuted.
    constexpr int unpermuted(const multi_index<2>& at) const { return at[0] * line() + at[1]; }

    // The chain from (row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const auto permuted =
            transform(strided<1>{{elements()}, {1}}, along<dims{0}, dims{0}>(permute_banks{elements(), chunk, keys}));
        return transform(permuted, along<dims{0}, dims{0, 1}>(embed<2>{{rows, cols}, {line(), 1}}));
    }

    friend constexpr bool operator==(const lds_layout&, const lds_layout&) = default;
};

// How one distribution accesses rows of LDS: elements that an access moves are contiguous in a register and in LDS, 16 bytes at
// most. Every line of LDS starts at a multiple of them.
template <class Layout>
constexpr int lds_run(const distribution& d, const Layout& layout, int element_bytes)
{
    int run = d.vector_dim() == layout.contiguous ? lds_chunk_bytes / element_bytes : 1;
    while(d.contiguous() % run != 0 || layout.chunk % run != 0 || layout.line() % run != 0)
        run /= 2;
    return run;
}

// What it costs the banks that the threads of `d` load or store a tile.
template <class Layout>
constexpr lds_cost cost_of(const distribution& d, const Layout& layout, int element_bytes, lds_direction direction)
{
    const int run    = lds_run(d, layout, element_bytes);
    const auto chain = layout.map();
    lds_cost all;
    for(int w = 0; w < d.waves(); ++w)
        for(int r = 0; r < d.regs(); ++r)
            for(int v = 0; v < d.vecs(); v += run)
                all += cost_of_access({run * element_bytes, d.lanes(), direction}, [&](int lane) {
                    const slot at = {.wave = w, .lane = lane, .reg = r, .vec = v};
                    return chain({d.locate(0, at), d.locate(1, at)}).offset * element_bytes;
                });
    return all;
}

// The layout in which neither what `writer` stores nor what `reader` loads has two lanes at one bank at once: permuted chunks,
// where lines of 128 bytes allow it; else rows an odd number of chunks apart, for readers of whole chunks.
constexpr lds_layout free_of_conflicts(int rows, int cols, int element_bytes, const distribution& writer,
                                       const distribution& reader)
{
    const int chunk = lds_chunk_bytes / element_bytes, chunks = cols / chunk;
    lds_layout layout = {.rows = rows, .cols = cols};
    if(cols % chunk != 0 || (chunks & (chunks - 1)) != 0 || rows * cols % (lds_line_chunks * chunk) != 0)
    {
        layout.pad = chunks % 2 == 0 ? chunk : 0;
        return layout;
    }
    layout.chunk          = chunk;
    const auto vectors_of = [&](const distribution& d, lds_direction direction) {
        const lds_access one = {lds_run(d, layout, element_bytes) * element_bytes, d.lanes(), direction};
        return detail::vectors_of(one, d.lane, cols * element_bytes, element_bytes);
    };
    const auto reads = vectors_of(reader, lds_direction::read), writes = vectors_of(writer, lds_direction::write);
    if(!detail::find_keys(layout.keys, reads, writes) && !detail::find_keys(layout.keys, reads, reads))
        layout.keys = {};
    return layout;
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
    static constexpr int contiguous = contiguous_dimension(Major), alignment = 1024;
    CK_TILE_FN constexpr int line() const { return panel; }
    CK_TILE_FN constexpr int lines() const { return contiguous == 0 ? cols : rows; } // of a panel
    CK_TILE_FN constexpr int elements() const { return rows * cols; }

    // Where an element would be if no chunk were permuted.
    constexpr int unpermuted(const multi_index<2>& at) const
    {
        const int along = at[contiguous], line_number = at[1 - contiguous];
        return (along / panel * lines() + line_number) * panel + along % panel;
    }

    // The chain from (row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const int panels     = (contiguous == 0 ? rows : cols) / panel;
        const auto permuted  = transform(strided<1>{{elements()}, {1}},
                                         along<dims{0}, dims{0}>(permute_banks{elements(), chunk, {{1, 2, 4}}}));
        const auto in_panels = transform(permuted, along<dims{0}, dims{0, 1, 2}>(unmerge<3>{{panels, lines(), panel}}));
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

// The memory of a tile, or of a ring of `Stages` of them, as a member of a plan: a struct that says what a program has in LDS. The compiler
// gives each its offset; what is not needed at the same time shares its memory in a union.
//
//   struct plan
//   {
//       lds_memory<a_tile> a;
//       lds_memory<b_tile, 3> b;
//   };
//   static constexpr int lds_bytes = sizeof(plan);
//   ... const a_tile a = block.lds_at<&plan::a>(); const auto b = block.lds_at<&plan::b>(); store(b[stage], ...);
template <class Tile, int Stages = 0> // 0: a tile, no ring
struct lds_memory
{
    static_assert(Stages >= 0, "lds_memory: a ring has at least one stage: give their number, or none for one tile");
    static constexpr int alignment = Tile::layout.alignment;
    static constexpr int stride    = (Tile::bytes + alignment - 1) / alignment * alignment; // bytes from stage to stage

    alignas(alignment) std::byte bytes[(Stages == 0 ? 1 : Stages) * stride];
};

// A ring of tiles in LDS; a ring_position says which is next.
template <class Tile, int Stages>
struct lds_ring
{
    static constexpr int stages = Stages;
    std::byte* data;

    CK_TILE_FN Tile operator[](int stage) const
    {
        tell_checker([&](auto& c) {
            if(stage < 0 || stage >= Stages)
                c.fail("a stage lies beyond its ring in LDS: take one from 0 on, below its number of stages");
        });
        return {reinterpret_cast<typename Tile::element*>(data + stage * lds_memory<Tile, Stages>::stride)};
    }
};

namespace detail
{
template <class Plan, class Tile, int Stages>
CK_TILE_FN auto member_in_lds(std::byte* lds, lds_memory<Tile, Stages> Plan::* member)
{
    static_assert(std::is_standard_layout_v<Plan> && std::is_trivially_copyable_v<Plan>,
                  "lds_at: nothing constructs a plan: make it of members lds_memory<...> alone");
    std::byte* const data = (reinterpret_cast<Plan*>(lds)->*member).bytes;
    if constexpr(Stages == 0)
        return Tile{reinterpret_cast<typename Tile::element*>(data)};
    else
        return lds_ring<Tile, Stages>{data};
}
} // namespace detail

} // namespace ck_tile
