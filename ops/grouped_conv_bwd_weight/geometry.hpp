// SPDX-License-Identifier: MIT
// How a problem falls into tiles and splits: arithmetic that choosing an instance and launching it share.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ck_tile::grouped_conv_bwd_weight
{

inline constexpr std::int64_t range_bytes = std::numeric_limits<std::int32_t>::max(); // that one view can span
inline constexpr std::int64_t max_blocks  = std::numeric_limits<std::int32_t>::max(); // of one launch

inline std::int64_t pixels_of(const conv::problem& p) { return p.batch * p.output_pixels(); }
inline std::int64_t row_length(const conv::problem& p) { return p.filter_taps() * p.c; }
inline std::int64_t weights_of(const conv::problem& p) { return p.groups * p.k * row_length(p); }

inline std::int64_t tiles_of(const config& c, const conv::problem& p)
{
    return ceil_div(p.k, c.block.m) * ceil_div(row_length(p), c.block.n) * p.groups;
}

// Images of a split that views of 2 GiB can span.
inline std::int64_t images_per_view(const conv::problem& p)
{
    const std::int64_t most = std::max(p.input_pixels() * p.groups * p.c, p.output_pixels() * p.groups * p.k);
    return range_bytes / (most * bytes_of(p.type));
}

// The longest split: one that begins in the middle of an image touches one image more than it is long.
inline std::int64_t max_split_pixels(const conv::problem& p)
{
    const std::int64_t images = images_per_view(p);
    return images == 1 ? p.output_pixels() : std::min((images - 1) * p.output_pixels(), range_bytes / 2);
}

// Pixels of each split but the last, which may be shorter. Where a view spans but one image, no split may cross from one
// image into the next: the length divides an image.
inline std::int64_t split_length(const conv::problem& p, int splits)
{
    std::int64_t length = ceil_div(std::max<std::int64_t>(pixels_of(p), 1), splits);
    if(images_per_view(p) == 1 && p.batch > 1)
        for(length = std::min(length, p.output_pixels()); p.output_pixels() % length != 0;)
            --length;
    return length;
}

} // namespace ck_tile::grouped_conv_bwd_weight
