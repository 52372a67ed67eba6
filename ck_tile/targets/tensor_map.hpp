// SPDX-License-Identifier: MIT
// A tensor in memory of which a GPU's copy engine copies boxes to LDS, of elements that exist or of zeros: what of it the engine reads
// with each copy. A launch puts its hardware's form in the place of this description, in the arguments that it passes.
#pragma once

#include "ck_tile/targets/execution.hpp"

#include <cstddef>
#include <cstdint>

namespace ck_tile
{

// The description fills what NVIDIA's driver makes of it (CUtensorMap), whose alignment it has: a launch passes it as it lies.
struct alignas(64) tensor_map
{
    static constexpr int dims = 4, longest_box = 256; // elements, along a dimension

    struct coord
    {
        int at[dims];

        CK_TILE_FN constexpr int operator[](int d) const { return at[d]; }
        CK_TILE_FN constexpr int& operator[](int d) { return at[d]; }
    };

    // Where a box of windows begins: at the element that the first tap of the first window sees; and how many elements further, along
    // dimensions 1 and 2, the tap is.
    struct tap_coord
    {
        coord first;
        int tap[2];
    };

    const void* data; // aligned to 16 bytes
    // Bytes from an element to the next one along each dimension: of the first one an element's, of the others multiples of 16.
    std::int64_t next[dims];
    int lengths[dims]; // elements
    int box[dims];     // elements of a copy; along the first dimension a multiple of 16 bytes
    // Whether chunks of LDS lie as in swizzled_rows: of a box that is 32, 64 or 128 bytes long along the first dimension.
    bool permuted;
    // Of a box of windows, whose lines are what one tap of box[1] of them sees: elements of the first dimension, box[0] each. Windows begin
    // along dimensions 1 and 2 from `first` elements after the first one on, negative ones before it, to `last` ones after the last one,
    // every `stride`th; they follow each other along dimension 1, then 2, then 3.
    bool of_windows;
    std::int16_t first[2], last[2], stride[2];
    std::byte rest[42];

    constexpr int row_bytes() const { return box[0] * static_cast<int>(next[0]); } // of a box
    constexpr int box_bytes() const { return row_bytes() * box[1] * box[2] * box[3]; }
};
static_assert(sizeof(tensor_map) == 128);

// [lengths[3]] ... [lengths[0]], neighbours so many elements apart along each dimension, and a box of them.
constexpr tensor_map strided_map(const void* data, int element_bytes, const std::int64_t (&next)[tensor_map::dims],
                                 const tensor_map::coord& lengths, const tensor_map::coord& box, bool permuted)
{
    tensor_map m = {};
    m.data = data, m.permuted = permuted;
    for(int d = 0; d < tensor_map::dims; ++d)
        m.next[d] = next[d] * element_bytes, m.lengths[d] = lengths[d], m.box[d] = box[d];
    return m;
}
// The same, one row of elements after the other.
constexpr tensor_map packed_map(const void* data, int element_bytes, const tensor_map::coord& lengths,
                                const tensor_map::coord& box, bool permuted)
{
    std::int64_t next[tensor_map::dims] = {1};
    for(int d = 1; d < tensor_map::dims; ++d)
        next[d] = next[d - 1] * lengths[d - 1];
    return strided_map(data, element_bytes, next, lengths, box, permuted);
}

} // namespace ck_tile
