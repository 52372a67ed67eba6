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

    static constexpr int rank       = 2;
    static constexpr int contiguous = 1;               // the dimension
    static constexpr int alignment  = lds_chunk_bytes; // of the tile's start
    CK_TILE_FN constexpr multi_index<2> lengths() const { return {rows, cols}; }
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

// Planes of rows, one after the other: a tile of three dimensions. All other names are as of lds_layout.
struct lds_planes
{
    int planes     = 1;
    int rows       = 1; // of a plane
    int cols       = 1; // contiguous
    int pad        = 0;
    int plane_pad  = 0; // elements between planes
    int chunk      = 0;
    bank_keys keys = {};

    static constexpr int rank       = 3;
    static constexpr int contiguous = 2;
    static constexpr int alignment  = lds_chunk_bytes;
    CK_TILE_FN constexpr multi_index<3> lengths() const { return {planes, rows, cols}; }
    CK_TILE_FN constexpr int line() const { return cols + pad; }
    CK_TILE_FN constexpr int plane() const { return rows * line() + plane_pad; }
    CK_TILE_FN constexpr int elements() const { return planes * plane(); }

    constexpr int unpermuted(const multi_index<3>& at) const { return at[0] * plane() + at[1] * line() + at[2]; }

    // The chain from (plane, row, column) to the offset in elements.
    CK_TILE_FN constexpr auto map() const
    {
        const auto permuted =
            transform(strided<1>{{elements()}, {1}}, along<dims{0}, dims{0}>(permute_banks{elements(), chunk, keys}));
        return transform(permuted, along<dims{0}, dims{0, 1, 2}>(embed<3>{{planes, rows, cols}, {plane(), line(), 1}}));
    }

    friend constexpr bool operator==(const lds_planes&, const lds_planes&) = default;
};

// How one distribution accesses rows of LDS: elements that an access moves are contiguous in a register and in LDS, 16 bytes at
// most. Every line of LDS starts at a multiple of them.
template <class Layout>
constexpr int lds_run(const distribution& d, const Layout& layout, int element_bytes)
{
    int run     = d.vector_dim() == layout.contiguous ? lds_chunk_bytes / element_bytes : 1;
    int between = 0; // planes
    if constexpr(Layout::rank == 3)
        between = layout.plane();
    while(d.contiguous() % run != 0 || layout.chunk % run != 0 || layout.line() % run != 0 || between % run != 0)
        run /= 2;
    return run;
}

// Where a layout has the element at a place of a distribution, in bytes.
template <class Layout>
constexpr int lds_byte_of(const distribution& d, const slot& at, const Layout& layout, int element_bytes)
{
    multi_index<Layout::rank> coord;
    for(int dim = 0; dim < Layout::rank; ++dim)
        coord[dim] = d.locate(dim, at);
    return layout.map()(coord).offset * element_bytes;
}

// What it costs the banks that the threads of `d` load or store a tile.
template <class Layout>
constexpr lds_cost cost_of(const distribution& d, const Layout& layout, int element_bytes, lds_direction direction)
{
    const int run = lds_run(d, layout, element_bytes);
    lds_cost all;
    for(int w = 0; w < d.waves(); ++w)
        for(int r = 0; r < d.regs(); ++r)
            for(int v = 0; v < d.vecs(); v += run)
                all += cost_of_access({run * element_bytes, d.lanes(), direction}, [&](int lane) {
                    return lds_byte_of(d, {.wave = w, .lane = lane, .reg = r, .vec = v}, layout, element_bytes);
                });
    return all;
}

namespace detail
{
// Permutes chunks so that neither `writer` nor `reader` has two lanes at one bank, or else `reader` has not, where there are such keys.
template <class Layout>
constexpr void permute_for(Layout& layout, int element_bytes, const distribution& writer, const distribution& reader)
{
    layout.chunk          = lds_chunk_bytes / element_bytes;
    const auto vectors_of = [&](const distribution& d, lds_direction direction) {
        const lds_access one = {lds_run(d, layout, element_bytes) * element_bytes, d.lanes(), direction};
        return detail::vectors_of(one, [&](int lane) {
            multi_index<Layout::rank> at;
            for(int dim = 0; dim < Layout::rank; ++dim)
                at[dim] = d.lane.along(dim, lane);
            return layout.unpermuted(at) * element_bytes;
        });
    };
    const auto reads = vectors_of(reader, lds_direction::read), writes = vectors_of(writer, lds_direction::write);
    if(!find_keys(layout.keys, reads, writes) && !find_keys(layout.keys, reads, reads))
        layout.keys = {};
}
} // namespace detail

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
    detail::permute_for(layout, element_bytes, writer, reader);
    return layout;
}

// The same for planes of rows.
constexpr lds_planes free_of_conflicts(int planes, int rows, int cols, int element_bytes, const distribution& writer,
                                       const distribution& reader)
{
    const lds_layout flat = free_of_conflicts(planes * rows, cols, element_bytes, writer, reader);
    lds_planes layout     = {.planes = planes, .rows = rows, .cols = cols, .pad = flat.pad};
    if(flat.chunk > 0)
        detail::permute_for(layout, element_bytes, writer, reader);
    return layout;
}

// Rows of 16, 32 or 64 elements of 16 bits, in lines of 128 bytes whose 16-byte chunks are permuted by the line's number: what Hopper's wgmma and
// copy engine have with a swizzle of as many bytes as a row has, from any row on, as chunks are permuted by where they lie. The tile starts at a
// multiple of eight rows.
constexpr lds_layout swizzled_rows(int rows, int cols)
{
    const bank_keys of_32b = {{1}}, of_64b = {{1, 2}}, of_128b = {{1, 2, 4}};
    return {.rows = rows, .cols = cols, .chunk = 8, .keys = cols == 16 ? of_32b : cols == 32 ? of_64b : of_128b};
}
// With what that permutes the chunks of a row: the number of each xor this.
template <lds_layout Swizzled>
CK_TILE_FN constexpr int swizzle_of_row(int row)
{
    constexpr unsigned rows_of_line = lds_line_chunks * Swizzled.chunk / Swizzled.cols;
    return Swizzled.keys.of_line(static_cast<int>(static_cast<unsigned>(row) / rows_of_line));
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

    static constexpr int rank = 2, panel = 64, chunk = 8;
    static constexpr int contiguous = contiguous_dimension(Major), alignment = 1024;
    CK_TILE_FN constexpr multi_index<2> lengths() const { return {rows, cols}; }
    CK_TILE_FN constexpr int line() const { return panel; }
    CK_TILE_FN constexpr int lines() const { return contiguous == 0 ? cols : rows; } // of a panel
    constexpr bool has_whole_lines() const { return elements() % (lines() * panel) == 0 && lines() % 8 == 0; }
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

namespace detail
{
constexpr bool has_whole_lines(const auto& layout)
{
    if constexpr(requires { layout.has_whole_lines(); })
        return layout.has_whole_lines();
    return true;
}
} // namespace detail

// `Layout` is one of the above.
template <class T, auto Layout>
struct lds_tile
{
    using element                = T;
    static constexpr auto layout = Layout;
    static constexpr int bytes   = Layout.elements() * static_cast<int>(sizeof(T));
    static_assert(
        detail::has_whole_lines(Layout),
        "lds_tile: swizzled_128b has whole lines: make the contiguous length a multiple of 64, the other one of 8");
    T* data;

    CK_TILE_FN T* at(const multi_index<Layout.rank>& coord) const { return data + Layout.map()(coord).offset; }
    template <class... Coord>
    requires(sizeof...(Coord) == Layout.rank) // row, column; or plane, row, column
    CK_TILE_FN T* at(Coord... coord) const
    {
        return at(multi_index<Layout.rank>{static_cast<int>(coord)...});
    }
};

namespace detail
{
// What something in LDS takes: a tile, an array T[N], or what a verb or a barrier has there and says the bytes of.
template <class Member>
struct lds_need
{
    static constexpr int bytes     = Member::bytes;
    static constexpr int alignment = [] {
        if constexpr(requires { Member::layout.alignment; })
            return Member::layout.alignment;
        else
            return lds_chunk_bytes;
    }();
};
template <class T, int N>
struct lds_need<T[N]>
{
    static_assert(std::is_trivially_copyable_v<T>,
                  "lds_memory: nothing constructs what is in LDS: make an array of a trivially copyable type");
    static constexpr int bytes     = N * static_cast<int>(sizeof(T));
    static constexpr int alignment = alignof(T) > lds_chunk_bytes ? int(alignof(T)) : lds_chunk_bytes;
};
} // namespace detail

// The memory of a tile, or of a ring of `Stages` of them, of an array, or of what a verb or a barrier has in LDS, as a member of a plan: a
// struct that says what a program has there. The compiler gives each its offset; what is not needed at the same time shares its memory in a
// union.
//
//   struct plan
//   {
//       lds_memory<a_tile> a;                                 // in.lds_at<&plan::a>(): an a_tile
//       lds_memory<b_tile, 3> b;                              //                  b  : lds_ring, whose stages are b_tiles
//       lds_memory<unsigned[256]> offsets;                    //                      lds_array<unsigned, 256>
//       lds_memory<reduce_partials<rows, 1>> partials;        //                      lds_room, which reduce() takes
//       lds_memory<stage_ring<3, 4, 8, 32>> stages;           //                      lds_room, which stage_ring's constructor takes
//   };
//   static constexpr int lds_bytes = sizeof(plan);
template <class Member, int Stages = 0> // 0: one, no ring
struct lds_memory
{
    static_assert(Stages >= 0, "lds_memory: a ring has at least one stage: give their number, or none for one tile");
    static constexpr int alignment = detail::lds_need<Member>::alignment;
    static constexpr int stride =
        (detail::lds_need<Member>::bytes + alignment - 1) / alignment * alignment; // bytes from stage to stage

    alignas(alignment) std::byte bytes[stride == 0 ? alignment : (Stages == 0 ? 1 : Stages) * stride];
};

// Memory in LDS for what a verb or a barrier has there.
template <class Member>
struct lds_room
{
    std::byte* data;
};

// An array in LDS.
template <class T, int N>
struct lds_array
{
    static constexpr int length = N;
    T* data;

    CK_TILE_FN operator lds_pointer<T>() const { return lds_pointer<T>(data); }
    CK_TILE_FN decltype(auto) operator[](int i) const
    {
        tell_checker([&](auto& c) {
            if(i < 0 || i >= N)
                c.fail("an element lies beyond its array in LDS: take one from 0 on, below its length");
        });
        return lds_pointer<T>(data)[i];
    }
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
template <class Member>
inline constexpr bool is_lds_tile = false;
template <class T, auto Layout>
inline constexpr bool is_lds_tile<lds_tile<T, Layout>> = true;

// What a plan's member is for a program, by where its memory begins.
template <class Member, int Stages>
struct lds_view
{
    static_assert(Stages == 0 || is_lds_tile<Member>, "lds_memory: rings are of tiles: leave out the number of stages");
    static CK_TILE_FN auto at(std::byte* data)
    {
        if constexpr(Stages > 0)
            return lds_ring<Member, Stages>{data};
        else if constexpr(is_lds_tile<Member>)
            return Member{reinterpret_cast<typename Member::element*>(data)};
        else
            return lds_room<Member>{data};
    }
};
template <class T, int N>
struct lds_view<T[N], 0>
{
    static CK_TILE_FN auto at(std::byte* data) { return lds_array<T, N>{reinterpret_cast<T*>(data)}; }
};

template <class Plan, class Member, int Stages>
CK_TILE_FN auto member_in_lds(std::byte* lds, lds_memory<Member, Stages> Plan::* member)
{
    static_assert(std::is_standard_layout_v<Plan> && std::is_trivially_copyable_v<Plan>,
                  "lds_at: nothing constructs a plan: make it of members lds_memory<...> alone");
    return lds_view<Member, Stages>::at((reinterpret_cast<Plan*>(lds)->*member).bytes);
}
} // namespace detail

} // namespace ck_tile
