// SPDX-License-Identifier: MIT
// What choosing an instance of a convolution takes, whatever its direction: rules of vectors and views, and splits of the
// reduction.
#pragma once

#include "ck_tile/gemm/tile_config.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ops/grouped_conv/config.hpp"
#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/schedule.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace ck_tile::conv
{

// Whether windows are the pixels that they make: of length 1, stride 1, without pads.
bool is_pointwise(const problem& p);

// Adds to the rules that a problem breaks.
// Of an instance of so many spatial dimensions; a pointwise one moves `pixels` along those of images, and `channels` along C of the weights.
void need_dimensions(status& rules, int instance, const problem& p, int pixels, int channels);
// Of an instance of so many spatial dimensions that moves `vector` elements along the channels of a window of rows: see window_of_rows().
void need_short_filter(status& rules, int instance, const problem& p, int vector);
void need_view_of_weights(status& rules, const problem& p, int element_bytes);
// Of a result whose rows are positions of windows, `per_image` of them at least: that the images of `rows` of them fit a view.
void need_view_of_images(status& rules, const problem& p, std::int64_t rows, std::int64_t per_image);
void need_blocks(status& rules, std::int64_t tiles);

// That a pointwise instance has no splits.
status check_pointwise(int spatial, int splits);

// Whether the partial sums of `rows` rows of a result of `per_image` rows at least, and so many elements, an image fit a view.
bool partials_fit(const problem& p, std::int64_t rows, std::int64_t per_image, std::int64_t image_elements);
status check_partials(int splits, bool fit);

// Whether so many splits, 0 for any, can be made of a reduction of so many steps of the main loop; and of so many tiles, one launch.
status check_splits(int splits, std::int64_t tiles, std::int64_t steps);
status check_launch(std::int64_t splits, std::int64_t tiles);

// How often the reduction is split, and in how many shares a tile is that is left when all blocks have made as many: 1, whole; or what
// gemm::stream_k::of_shares() takes. And the cost, in units that compare instances.
struct split_choice
{
    int splits, shares;
    double cost;
    bool longest_first = false; // whether tiles differ
};

// Of a launch that makes so many tiles, of so many steps each or at most. Its blocks make one each, or are as many as run, `at_once` on a
// compute unit; or a few less, where that takes no longer, so that the tiles of a block, which take turns in `columns` columns of the
// result, are of one, whose operand can stay in LDS.
schedule make_schedule(const device& dev, const gemm::tile_config& tile, int at_once, std::int64_t tiles,
                       std::int64_t steps, const split_choice& choice, std::int64_t columns = 1);

// Whether a block could keep the weights of a column in LDS for all tiles that it makes of it, of so many steps.
bool keeps_weights(const gemm::tile_config& tile, const problem& p, int splits, std::int64_t steps);

// Blocks that take equally long: `steps` of the main loop, each of which takes so much of one of a whole tile.
struct equal_blocks
{
    std::int64_t count, steps;
    double of_step = 1;
};

// Whether both operands fit the cache: then it does not matter that each block is at another step of the reduction. Else what a block reads
// is to be what others read at that time.
bool fits_cache(const problem& p, const target& t);

// What a microsecond counts as in costs, on an H200, and a byte that is read or written there.
inline constexpr double microsecond = 170e3, byte_of_memory = microsecond / 4.07e6;

// A launch of implicit GEMMs, as choose_splits() sees it.
struct gemm_work
{
    const gemm::tile_config& tile;
    gemm::operand_access access;
    gemm_rows rows;                   // of the result
    int at_once;                      // blocks on a compute unit
    std::vector<equal_blocks> blocks; // those that take longest first
    double bytes;                     // of the tensors
    std::int64_t elements;            // of the result, each a number of a partial sum where the reduction is split
    bool cached;                      // see fits_cache()
    std::int64_t least_splits = 1;
};

template <class Config>
gemm_work work_of(const Config& c, gemm_rows rows, const problem& q, std::vector<equal_blocks> blocks,
                  std::int64_t elements)
{
    return {.tile     = c.tile,
            .access   = c.access(),
            .rows     = rows,
            .at_once  = c.blocks_at_once(),
            .blocks   = std::move(blocks),
            .bytes    = q.floor_bytes(),
            .elements = elements,
            .cached   = fits_cache(q, facts(c.arch))};
}

// What costs least, of `wanted` splits where that is not 0.
split_choice choose_splits(const device& dev, const gemm_work& work, int wanted);

} // namespace ck_tile::conv
