// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/selection.hpp"

#include "ck_tile/core/gather_window.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::conv
{

void need_dimensions(status& rules, int instance, int problem)
{
    if(problem > instance)
        rules.also(rejection{fmt::format(
            "the instance has {} spatial dimensions, the problem {}: choose one with as many", instance, problem)});
}

void need_short_filter(status& rules, const problem& p, int vector)
{
    std::int64_t lengths = 0;
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
        lengths += p.filter[d];
    // Instances of more dimensions have filters of length 1 in front.
    if(vector > 1 && lengths + max_spatial - p.spatial > gather_bits)
        rules.also(rejection{fmt::format(
            "filter lengths must add up to {} at most for vectors, but are {}: choose an instance of vector "
            "width 1",
            gather_bits - (max_spatial - p.spatial), lengths)});
}

void need_view_of_weights(status& rules, const problem& p, int element_bytes)
{
    if(const std::int64_t bytes = p.k * row_length(p) * element_bytes; bytes > range_bytes)
        rules.also(
            rejection{fmt::format("one group's weights span {} bytes, more than the {} that a view can: split K in "
                                  "several calls",
                                  bytes, range_bytes)});
}

namespace
{

// Images that `rows` rows touch at most, of `per_image` each at least.
std::int64_t images_touched(const problem& p, std::int64_t rows, std::int64_t per_image)
{
    return std::min(std::max<std::int64_t>(p.batch, 1), ceil_div(rows, per_image) + 1);
}

} // namespace

void need_view_of_images(status& rules, const problem& p, std::int64_t rows, std::int64_t per_image)
{
    const std::int64_t touched = images_touched(p, rows, per_image);
    if(images_per_view(p) < touched)
        rules.also(
            rejection{fmt::format("a tile touches {} images of {} groups, which span more than the {} bytes that a "
                                  "view can: run the groups in several calls, or choose a smaller tile",
                                  touched, p.groups, range_bytes)});
}

void need_blocks(status& rules, std::int64_t tiles)
{
    if(tiles > max_blocks)
        rules.also(rejection{
            fmt::format("{} tiles are more than the {} blocks of a launch: choose a larger tile", tiles, max_blocks)});
}

bool partials_fit(const problem& p, std::int64_t rows, std::int64_t per_image, std::int64_t image_elements)
{
    return range_bytes / static_cast<std::int64_t>(sizeof(float)) / std::max<std::int64_t>(image_elements, 1) >=
           images_touched(p, rows, per_image);
}

status check_partials(int splits, bool fit)
{
    if(splits > 1 && !fit)
        return rejection{fmt::format(
            "split-k {} needs partial sums of whole images, and those that a tile touches span more than the "
            "{} bytes that a view can: choose 1, or auto",
            splits, range_bytes)};
    return {};
}

status check_splits(int splits, std::int64_t tiles, std::int64_t steps)
{
    if(splits > std::max<std::int64_t>(steps, 1))
        return rejection{
            fmt::format("split-k {} is more than the {} steps of the main loop that there are to split: choose "
                        "fewer, or auto",
                        splits, steps)};
    return check_launch(std::max(splits, 1), tiles);
}

status check_launch(std::int64_t splits, std::int64_t tiles)
{
    if(tiles > max_blocks / splits)
        return rejection{
            fmt::format("{} tiles x {} splits are more than the {} blocks of a launch: choose a smaller split-k", tiles,
                        splits, max_blocks)};
    return {};
}

namespace
{

constexpr std::int64_t prologue_and_epilogue = 8; // steps that a block takes beside the main loop, more or less

std::int64_t block_steps(const equal_blocks& b, std::int64_t splits)
{
    return ceil_div(b.steps, splits) + prologue_and_epilogue;
}

// Of a step of the main loop, in units that compare instances: matrix work, and memory instructions by their width. Where copies and
// products are asynchronous, threads issue copies alone; those of A, whose rows are gathered, cost nearly twice what B's cost (fitted to
// tiles of 128 x 256, 256 x 128 and 128 x 192 on an H200).
double step_cost(const gemm::tile_config& tile, const gemm::operand_access& access)
{
    const double matrix = tile.block.m * tile.block.n, a = tile.block.m * (1 + 8.0 / access.a.vector),
                 b = tile.block.n * (1 + 8.0 / access.b.vector);
    return tile.block.k *
           (gemm::is_persistent(tile.pipeline) ? matrix / 256 + 1.5 * a + 0.84 * b : matrix / 64 + a + b);
}

} // namespace

int launch_blocks(const device& dev, const gemm::tile_config& tile, int at_once, std::int64_t tiles,
                  std::int64_t columns)
{
    const std::int64_t running = std::int64_t(dev.compute_units()) * at_once, fewer = running - running % columns;
    if(!gemm::is_persistent(tile.pipeline) || tiles <= running)
        return static_cast<int>(tiles);
    const bool as_soon = fewer > 0 && ceil_div(tiles, fewer) == ceil_div(tiles, running);
    return static_cast<int>(as_soon ? fewer : running);
}

bool keeps_weights(const gemm::tile_config& tile, const problem& p, int splits, std::int64_t steps)
{
    return splits == 1 && p.groups == 1 && tile.stages % steps == 0;
}

double makespan(const std::vector<equal_blocks>& blocks, std::int64_t splits, std::int64_t slots)
{
    double work = 0, rounds = 0;
    std::int64_t longer = 0;
    for(const equal_blocks& b : blocks)
    {
        const auto steps = static_cast<double>(block_steps(b, splits));
        work += steps * static_cast<double>(b.count * splits);
        longer += b.count * splits;
        rounds =
            std::max(rounds, steps * static_cast<double>(ceil_div(longer, slots))); // some slot has so many of these
    }
    return std::max(rounds, work / static_cast<double>(slots));
}

split_choice choose_splits(const device& dev, const gemm::tile_config& tile, int at_once,
                           const gemm::operand_access& access, const std::vector<equal_blocks>& blocks,
                           std::int64_t elements, int wanted)
{
    constexpr double launch = 6, partial = 0.1; // steps: the sum; one tile of it
    const std::int64_t slots   = static_cast<std::int64_t>(dev.compute_units()) * at_once;
    const double partial_tiles = static_cast<double>(elements) / (tile.block.m * tile.block.n);
    const double scale         = at_once * step_cost(tile, access); // blocks of a compute unit share it
    std::int64_t longest = 1, count = 0;
    for(const equal_blocks& b : blocks)
    {
        longest = std::max(longest, b.steps);
        count += b.count;
    }
    const auto cost = [&](std::int64_t splits) {
        return scale * (makespan(blocks, splits, slots) +
                        (splits > 1 ? launch + partial * static_cast<double>(splits) * partial_tiles : 0));
    };
    if(wanted > 0)
        return {wanted, cost(wanted)};
    split_choice best = {1, cost(1)};
    const std::int64_t useful =
        std::min(longest / 4, 4 * slots / std::max<std::int64_t>(count, 1)); // four steps at least
    for(std::int64_t splits = 2; splits <= useful; ++splits)
        if(const double c = cost(splits); c < best.cost)
            best = {static_cast<int>(splits), c};
    return best;
}

} // namespace ck_tile::conv
