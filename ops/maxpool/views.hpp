// SPDX-License-Identifier: MIT
// How the threads of a block share an image: each has one patch of it, and sees the parts of tensors that belong to that.
//
// The patches of an image are numbered in the order of the memory, and so are the threads, so that threads side by side
// access memory side by side:
//   nhwc   patch row, patch column, group of `vector` channels; a thread's vectors lie along the channels
//   nchw   channel, patch row, patch column; a thread's vectors lie along the width
// A tile has three dimensions: patch, place in the patch (row by row), channel of the group.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ops/maxpool/kinds.hpp"

#include <cstdint>

namespace ck_tile::maxpool
{

// An index as it lies in memory.
template <indices Kind>
using index_t = std::conditional_t<Kind == indices::u8, std::uint8_t,
                                   std::conditional_t<Kind == indices::int32, std::int32_t, std::int64_t>>;

// Of one image, in elements.
struct image_lengths
{
    int channels, height, width;
    CK_TILE_FN constexpr std::int64_t elements() const { return std::int64_t(channels) * height * width; }
};

// What of a tensor belongs to patch (i, j): `height` x `width` elements from (i * step - left) on, in each dimension.
// Elements beyond the tensor do not exist. A vector along the width begins at a multiple of its length.
struct field
{
    multi_index<2> left;
    multi_index<2> step;
    int height = 1, width = 1;
};

// One image of a tensor as [patch, place, channel of the group].
template <layout Order, int Vector, class T>
CK_TILE_FN constexpr auto patches_of(T* data, const image_lengths& image, const multi_index<2>& patches, const field& f)
{
    const auto [channels, height, width] = image;
    const int groups                     = channels / Vector;
    const multi_index<3> strides =
        Order == layout::nhwc ? multi_index{width * channels, channels, 1} : multi_index{width, 1, height * width};
    const auto padded =
        transform(strided<3>{{height, width, channels}, strides}, along<dims{0}, dims{0}>(pad{height, f.left[0], 0}),
                  along<dims{1}, dims{1}>(pad{width, f.left[1], 0}), along<dims{2}, dims{2}>(pass_through{channels}));
    const auto apart  = transform(padded, along<dims{0}, dims{0, 1}>(embed<2>{{patches[0], f.height}, {f.step[0], 1}}),
                                  along<dims{1}, dims{2, 3}>(embed<2>{{patches[1], f.width}, {f.step[1], 1}}),
                                  along<dims{2}, dims{4, 5}>(embed<2>{{groups, Vector}, {Vector, 1}}));
    const auto number = [&] {
        if constexpr(Order == layout::nhwc)
            return along<dims{0, 2, 4}, dims{0}>(merge<3>{{patches[0], patches[1], groups}});
        else
            return along<dims{4, 0, 2}, dims{0}>(merge<3>{{groups, patches[0], patches[1]}});
    }();
    return tensor_view{data, image.elements(),
                       transform(apart, number, along<dims{1, 3}, dims{1}>(merge<2>{{f.height, f.width}}),
                                 along<dims{5}, dims{2}>(pass_through{Vector}))};
}

// Row and column of a patch, by its number.
template <layout Order, int Vector>
CK_TILE_FN constexpr multi_index<2> place_of_patch(int number, const image_lengths& image,
                                                   const multi_index<2>& patches)
{
    const auto digits = Order == layout::nhwc
                            ? merge<3>{{patches[0], patches[1], image.channels / Vector}}.map({number})
                            : merge<3>{{image.channels, patches[0], patches[1]}}.map({number});
    return Order == layout::nhwc ? multi_index{digits[0], digits[1]} : multi_index{digits[1], digits[2]};
}

// A distribution whose threads have one patch each, of `places` elements and `channels`: registers hold runs of `run` places
// or (run 1) all channels of a place.
constexpr distribution one_patch_each(architecture arch, int threads, int pixels, int run, int channels)
{
    const int wave = facts(arch).wave;
    return {.lengths = {threads, pixels, channels},
            .wave    = {{threads / wave, 0, wave}},
            .lane    = {{wave, 0, 1}},
            .reg     = {{pixels / run, 1, run}},
            .vec     = {{run, 1, 1}, {channels, 2, 1}}};
}

} // namespace ck_tile::maxpool
