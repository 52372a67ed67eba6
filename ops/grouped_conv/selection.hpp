// SPDX-License-Identifier: MIT
// What choosing an instance of a convolution takes, whatever its direction: rules of vectors and views, and splits of the
// reduction.
#pragma once

#include "ck_tile/gemm/tile_config.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/problem.hpp"

#include <cstdint>
#include <vector>

namespace ck_tile::conv
{

// Adds to the rules that a problem breaks.
void need_dimensions(status& rules, int instance, int problem);
// Of an instance that moves `vector` elements along the channels of a window of rows: see window_of_rows().
void need_short_filter(status& rules, const problem& p, int vector);
void need_view_of_weights(status& rules, const problem& p, int element_bytes);
// Of a result whose rows are positions of windows, `per_image` of them at least: that the images of `rows` of them fit a view.
void need_view_of_images(status& rules, const problem& p, std::int64_t rows, std::int64_t per_image);
void need_blocks(status& rules, std::int64_t tiles);

// Whether the partial sums of `rows` rows of a result of `per_image` rows at least, and so many elements, an image fit a view.
bool partials_fit(const problem& p, std::int64_t rows, std::int64_t per_image, std::int64_t image_elements);
status check_partials(int splits, bool fit);

// Whether so many splits, 0 for any, can be made of a reduction of so many steps of the main loop; and of so many tiles, one launch.
status check_splits(int splits, std::int64_t tiles, std::int64_t steps);
status check_launch(std::int64_t splits, std::int64_t tiles);

// Blocks of a launch that makes so many tiles: one each, or as many as run, `at_once` on a compute unit; or a few less, where that takes no
// longer, so that the tiles of a block, which take turns in `columns` columns of the result, are of one, whose operand can stay in LDS.
int launch_blocks(const device& dev, const gemm::tile_config& tile, int at_once, std::int64_t tiles,
                  std::int64_t columns = 1);

// Whether a block could keep the weights of a column in LDS for all tiles that it makes of it, of so many steps.
bool keeps_weights(const gemm::tile_config& tile, const problem& p, int splits, std::int64_t steps);

// Blocks that take equally long: `steps` of the main loop.
struct equal_blocks
{
    std::int64_t count, steps;
};

// How often the reduction is split, and what that takes, in units that compare instances.
struct split_choice
{
    int splits;
    double cost;
};

// What the blocks take, the longest of them first, `splits` times split; `slots` run at once. In steps.
double makespan(const std::vector<equal_blocks>& blocks, std::int64_t splits, std::int64_t slots);

// The number of splits that costs least, or the cost of `wanted` splits where that is not 0. Partial sums are `elements` numbers each;
// `at_once` blocks run on a compute unit.
split_choice choose_splits(const device& dev, const gemm::tile_config& tile, int at_once,
                           const gemm::operand_access& access, const std::vector<equal_blocks>& blocks,
                           std::int64_t elements, int wanted);

} // namespace ck_tile::conv
