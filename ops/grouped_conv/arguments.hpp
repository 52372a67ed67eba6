// SPDX-License-Identifier: MIT
// A grouped convolution as its kernels see it: three spatial dimensions, 32-bit lengths, the strides of each tensor.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/numeric/enumeration.hpp"

#include <cstdint>

namespace ck_tile::conv
{

struct problem;

// Which dimension lies densely in memory: the channels (nhwgc, gnhwc) or the last spatial one (ngchw).
enum class innermost
{
    channels,
    spatial
};

} // namespace ck_tile::conv

template <>
struct ck_tile::enumerators<ck_tile::conv::innermost>
{
    using enum conv::innermost;
    static constexpr const char* type                  = "conv::innermost";
    static constexpr enumerator<conv::innermost> all[] = {{channels, "channels"}, {spatial, "spatial"}};
};

namespace ck_tile::conv
{

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
};

arguments make_arguments(const problem& p);

// The last S of the spatial dimensions.
template <int S>
CK_TILE_FN multi_index<S> used(const multi_index<3>& all)
{
    multi_index<S> some;
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
        some[d] = all[3 - S + d];
    return some;
}

} // namespace ck_tile::conv
