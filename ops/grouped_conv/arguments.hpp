// SPDX-License-Identifier: MIT
// A grouped convolution as its kernels see it: three spatial dimensions, 32-bit lengths, the strides of each tensor.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/multi_index.hpp"

#include <cstdint>

namespace ck_tile::conv
{

struct problem;

// Where the elements of a tensor of images lie, X or Y: distances in elements.
struct image_strides
{
    std::int64_t group, image;
    multi_index<3> spatial; // the last one is that of pixels
    int channel;
};

// Problems of fewer than three dimensions have lengths of 1 in front.
struct arguments
{
    int groups, batch, k, c;
    multi_index<3> filter, input, output, stride, dilation, left_pad, right_pad;
    image_strides in, out;
    dividers<3> by_filter, by_output; // the same lengths, to divide by
    divider by_k, by_c, by_pixels;    // the last one: of an output image
};

arguments make_arguments(const problem& p);

// The last S of the spatial dimensions.
template <int S, template <int> class List>
CK_TILE_FN List<S> used(const List<3>& all)
{
    List<S> some;
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
        some[d] = all[3 - S + d];
    return some;
}

} // namespace ck_tile::conv
