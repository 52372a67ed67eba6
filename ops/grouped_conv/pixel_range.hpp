// SPDX-License-Identifier: MIT
// A run of the pixels, or of the positions of windows, of all images.
#pragma once

#include "ck_tile/core/multi_index.hpp"

#include <cstdint>

namespace ck_tile::conv
{

// Counted from the start of the first image that it touches, so that offsets fit 32 bits.
struct pixel_range
{
    int image, images; // that it touches
    int begin, end;
};

// `length` pixels from pixel `begin` on, fewer where the images end, which are `batch` of `per_image` pixels, at least one.
CK_TILE_FN constexpr pixel_range range_of(std::int64_t begin, std::int64_t length, int per_image, int batch)
{
    const std::int64_t all    = std::int64_t(batch) * per_image;
    const std::int64_t behind = begin + length;
    const std::int64_t end    = behind < all ? behind : all;
    const int image           = static_cast<int>(begin / per_image);
    const int last            = static_cast<int>((end + per_image - 1) / per_image);
    const std::int64_t start  = std::int64_t(image) * per_image;
    return {image, last - image, static_cast<int>(begin - start), static_cast<int>(end - start)};
}

// The share of split `split`: whole steps of `depth` of a reduction of `length` terms, from term `begin` on.
struct reduction_range
{
    int begin, steps;
};

CK_TILE_FN constexpr reduction_range reduction_of(int split, int splits, int length, int depth)
{
    const int all = ceil_div(length, depth), each = ceil_div(all, splits), first = split * each;
    const int left = all - first;
    return {first * depth, left < 0 ? 0 : left < each ? left : each};
}

} // namespace ck_tile::conv
