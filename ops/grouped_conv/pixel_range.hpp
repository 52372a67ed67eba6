// SPDX-License-Identifier: MIT
// A run of the pixels, or of the positions of windows, of all images.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/gemm/stream_k.hpp"

#include <cstdint>
#include <limits>

namespace ck_tile::conv
{

// Counted from the start of the first image that it touches, so that offsets fit 32 bits.
struct pixel_range
{
    int image, images; // that it touches
    int begin, end;
};

// `length` pixels from pixel `begin` on, fewer where the images end, which are `batch` of product(lengths) pixels.
template <int S>
CK_TILE_FN constexpr pixel_range range_of(std::int64_t begin, std::int64_t length, const dividers<S>& lengths,
                                          int batch)
{
    const int per_image       = product(lengths);
    const std::int64_t all    = std::int64_t(batch) * per_image;
    const std::int64_t behind = begin + length;
    const std::int64_t end    = behind < all ? behind : all;
    const auto image_of       = [&](std::int64_t pixel) {
        if(pixel > std::numeric_limits<std::int32_t>::max())
            return static_cast<int>(pixel / per_image);
        int rest = static_cast<int>(pixel);
        CK_TILE_UNROLL
        for(int d = S - 1; d >= 0; --d)
            rest = rest / lengths[d];
        return rest;
    };
    const int image          = image_of(begin);
    const std::int64_t start = std::int64_t(image) * per_image;
    return {image, image_of(end - 1) + 1 - image, static_cast<int>(begin - start), static_cast<int>(end - start)};
}

// What a block makes of the share of split `split`: whole steps of `depth` of a reduction of `length` terms, from term `begin` on.
struct reduction_range
{
    int begin, steps;
};

CK_TILE_FN constexpr reduction_range reduction_of(const gemm::tile_share& share, int split, const divider& splits,
                                                  int length, int depth)
{
    if(share.shares != 1)
        return {share.first * depth, share.steps};
    const int all = ceil_div(length, depth), each = (all + splits.divisor - 1) / splits, first = split * each;
    const int left = all - first;
    return {first * depth, left < 0 ? 0 : left < each ? left : each};
}

} // namespace ck_tile::conv
