// SPDX-License-Identifier: MIT
// Which instances compute a problem, at which cost, and in how many splits.
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include <algorithm>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

// What the instance costs, in the units of conv::choose_splits(), of the time of one compute unit: matrix work, and memory instructions by
// their width.
double cost(const device& dev, const config& c, const problem& p, const problem& q)
{
    constexpr double measured = 6; // on an H200, over what is counted here
    const double matrix       = c.tile.block.m * c.tile.block.n,
                 memory       = c.tile.block.m * (1 + 8.0 / c.vector.out) + c.tile.block.n * (1 + 8.0 / c.vector.in);
    // Asynchronous copies and products spare the threads what they issue for the others.
    const double per_pixel = gemm::is_persistent(c.tile.pipeline) ? matrix / 256 + memory / 2 : matrix / 64 + memory;
    const double promotion = 1 + 0.05 * std::max(c.spatial - p.spatial, 0);
    return measured * static_cast<double>(tiles_of(c, q)) * static_cast<double>(pixels_of(p)) / dev.compute_units() *
               per_pixel * promotion +
           conv::copies_cost(p, q, copied);
}

// What takes least, counted in steps of the main loop: rounds of blocks that fill the chip, and what each block and each partial sum
// costs beside. `wanted`: 1, or 0 for any number of splits.
conv::split_choice choose_split(const device& dev, const config& c, const conv::problem& p, int wanted)
{
    constexpr double block = 8, launch = 4, partial = 0.05; // steps: prologue and epilogue; the sum; one tile of it
    const std::int64_t pixels = std::max<std::int64_t>(pixels_of(p), 1);
    const std::int64_t useful =
        std::max<std::int64_t>(pixels / (4 * c.tile.block.k), 1); // four steps of the main loop at least
    const std::int64_t slots = static_cast<std::int64_t>(dev.compute_units()) * c.blocks_at_once(),
                       tiles = tiles_of(c, p);
    const auto cost          = [&](std::int64_t splits) {
        const double rounds = static_cast<double>(ceil_div(tiles * splits, slots));
        return rounds * (static_cast<double>(ceil_div(ceil_div(pixels, splits), c.tile.block.k)) + block) +
               (splits > 1 ? launch + partial * static_cast<double>(tiles * splits) : 0);
    };
    const std::int64_t needed = wanted == 1 ? 1 : ceil_div(pixels, max_split_pixels(p)),
                       most   = wanted == 1 ? 1 : std::min(useful, ceil_div(4 * slots, tiles));
    conv::split_choice best   = {static_cast<int>(needed), 1, cost(needed)};
    for(std::int64_t splits = needed + 1; splits <= most; ++splits)
        if(const double steps = cost(splits); steps < best.cost)
            best = {static_cast<int>(splits), 1, steps};
    if(needed == 1)
        if(const conv::split_choice shared = conv::choose_shares(c.tile, tiles, ceil_div(pixels, c.tile.block.k), slots,
                                                                 conv::fits_cache(p, facts(c.arch)));
           shared.cost < best.cost)
            return shared;
    return best;
}

} // namespace

status operation::supports(const config& c, const problem& p)
{
    const problem q = conv::computed_through_windows(p, c.spatial, c.vector);
    status rules;
    conv::need_dimensions(rules, c.spatial, p, std::max(c.vector.in, c.vector.out), c.vector.wei);
    conv::need_little_padding(rules, p, q);
    if(images_per_view(q) == 0)
        rules.also(rejection{
            fmt::format("one image of {} groups spans more than the {} bytes that a view can: run the groups in "
                        "several calls",
                        p.groups, range_bytes)});
    else if(c.split == split_k::one_split && pixels_of(p) > max_split_pixels(q))
        rules.also(rejection{
            fmt::format("the instance does not split the {} pixels, whose images span more than {} bytes: choose "
                        "one with any_split",
                        pixels_of(p), range_bytes)});
    conv::need_view_of_weights(rules, q, sizeof(float)); // of partial sums
    conv::need_blocks(rules, tiles_of(c, q));
    return rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const config& c                 = chosen.chosen->configuration;
    const problem& p                = chosen.problem;
    const problem q                 = conv::computed_through_windows(p, c.spatial, c.vector);
    const std::int64_t pixels       = std::max<std::int64_t>(pixels_of(p), 1);
    const bool one                  = c.split == split_k::one_split;
    const conv::split_choice choice = chosen.splits > 1 || one ? conv::split_choice{std::max(chosen.splits, 1), 1, 0}
                                                               : choose_split(dev, c, q, chosen.splits);
    const std::int64_t wanted       = choice.splits;
    if(wanted > pixels)
        return rejection{
            fmt::format("split-k {} is more than the {} pixels that there are to split: choose fewer", wanted, pixels)};
    if(one && wanted > 1)
        return rejection{
            fmt::format("the instance does not split the reduction, and split-k is {}: choose 1 or auto, or an "
                        "instance with any_split",
                        wanted)};
    if(ceil_div(pixels, wanted) > max_split_pixels(q))
        return rejection{
            fmt::format("split-k {} leaves {} pixels to a split, whose images span more than {} bytes: choose "
                        "at least {}, or auto",
                        wanted, ceil_div(pixels, wanted), range_bytes, ceil_div(pixels, max_split_pixels(q)))};
    const std::int64_t length = split_length(c, q, static_cast<int>(wanted));
    const std::int64_t splits = ceil_div(pixels, length); // rounding up the length can leave the last ones empty
    if(status possible = conv::check_launch(splits, tiles_of(c, q)); !possible)
        return possible;
    const std::size_t partials = static_cast<std::size_t>(weights_of(q)) * sizeof(float);
    chosen.splits              = static_cast<int>(splits);
    chosen.schedule            = conv::make_schedule(dev, c.tile, c.blocks_at_once(), tiles_of(c, q) * splits,
                                                     ceil_div(pixels, c.tile.block.k), choice.shares);
    chosen.cost                = cost(dev, c, p, q);
    chosen.workspace_bytes     = conv::copies_bytes(p, q, copied) + conv::bytes_of_shares(c.tile, chosen.schedule) +
                                 (splits == 1 ? 0 : partials * static_cast<std::size_t>(splits));
    return chosen;
}

} // namespace ck_tile::grouped_conv_bwd_weight
