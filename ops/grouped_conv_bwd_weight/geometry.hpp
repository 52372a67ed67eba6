// SPDX-License-Identifier: MIT
// How a problem falls into tiles and splits: arithmetic that choosing an instance and launching it share.
#pragma once

#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

using problem = operation::problem;
using conv::images_per_view, conv::max_blocks, conv::pixels_of, conv::range_bytes, conv::row_length, conv::weights_of;

inline std::int64_t tiles_of(const config& c, const conv::problem& p)
{
    return ceil_div(p.k, c.tile.block.m) * ceil_div(row_length(p), c.tile.block.n) * p.groups;
}

// Of the last row of tiles, whether waves multiply nothing, as their rows do not exist. It is made last then.
inline bool has_short_row(const config& c, const conv::problem& p)
{
    const gemm::shape s     = c.tile.shape();
    const std::int64_t rest = p.k % s.m, groups = s.waves_m / s.inst().waves;
    return c.tile.copying_waves() > 0 && rest > 0 && rest <= (groups - 1) * s.inst().m;
}

// Tiles of a split by what they take: of a short row, that much less.
inline std::vector<conv::equal_blocks> blocks_of(const config& c, const conv::problem& p)
{
    const std::int64_t steps               = ceil_div(std::max<std::int64_t>(pixels_of(p), 1), c.tile.block.k);
    std::vector<conv::equal_blocks> blocks = {{tiles_of(c, p), steps}};
    if(has_short_row(c, p))
    {
        constexpr double left         = 0.6; // of products and copies, measured on an H200
        const std::int64_t short_ones = tiles_of(c, p) / ceil_div(p.k, c.tile.block.m);
        blocks                        = {{tiles_of(c, p) - short_ones, steps}, {short_ones, steps, left}};
        if(blocks.front().count == 0)
            blocks.erase(blocks.begin());
    }
    return blocks;
}

// The longest split: one that begins in the middle of an image touches one image more than it is long.
inline std::int64_t max_split_pixels(const conv::problem& p)
{
    const std::int64_t images = images_per_view(p);
    return images == 1 ? p.output_pixels() : std::min((images - 1) * p.output_pixels(), range_bytes / 2);
}

// Pixels of each split but the last, which may be shorter: whole vectors, where those are along pixels. Where a view spans but one image, no
// split may cross from one image into the next: the length divides an image.
inline std::int64_t split_length(const config& c, const conv::problem& p, int splits)
{
    const std::int64_t multiple = c.is_pointwise() ? std::max(c.vector.in, c.vector.out) : 1;
    std::int64_t length = ceil_div(ceil_div(std::max<std::int64_t>(pixels_of(p), 1), splits), multiple) * multiple;
    if(images_per_view(p) == 1 && p.batch > 1)
        for(length = std::min(length, p.output_pixels()); p.output_pixels() % length != 0;)
            length -= multiple;
    else if(c.takes_boxes()) // which would have pixels of the next split where one ends before
        length = ceil_div(length, std::int64_t(c.tile.block.k)) * c.tile.block.k;
    return length;
}

// Which tensors may be copied for the problem that kernels compute.
inline constexpr conv::tensor copied[] = {conv::tensor::in, conv::tensor::out, conv::tensor::wei};

} // namespace ck_tile::grouped_conv_bwd_weight
