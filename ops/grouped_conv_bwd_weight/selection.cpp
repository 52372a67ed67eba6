// SPDX-License-Identifier: MIT
// Which instances compute a problem, at which cost, and in how many splits.
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::grouped_conv_bwd_weight
{

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
    if(c.takes_boxes())
    {
        conv::need_boxes_of_input(rules, q);
        if(pixels_of(p) > range_bytes || (p.batch > 1 && images_per_view(q) < 2))
            rules.also(rejection{fmt::format(
                "the pixels of all images must be {} at most, as boxes are counted, and the bytes of one half of that, "
                "but there are {} pixels of {} images: choose an instance of pipeline wave_specialized",
                range_bytes, pixels_of(p), p.batch)});
    }
    conv::need_view_of_weights(rules, q, sizeof(float)); // of partial sums
    conv::need_blocks(rules, tiles_of(c, q));
    return rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const config& c           = chosen.chosen->configuration;
    const problem& p          = chosen.problem;
    const problem q           = conv::computed_through_windows(p, c.spatial, c.vector);
    const std::int64_t pixels = std::max<std::int64_t>(pixels_of(p), 1);
    const bool one            = c.split == split_k::one_split;
    conv::gemm_work work      = conv::work_of(c, conv::gemm_rows::pixels, q, blocks_of(c, q), weights_of(q));
    if(!one && chosen.splits != 1)
        work.least_splits = ceil_div(pixels, max_split_pixels(q));
    const conv::split_choice choice = conv::choose_splits(dev, work, one ? std::max(chosen.splits, 1) : chosen.splits);
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
                                                     ceil_div(pixels, c.tile.block.k), choice);
    chosen.cost                = conv::cost_with_copies(choice, c.spatial, p, q, copied);
    chosen.workspace_bytes     = conv::copies_bytes(p, q, copied) + conv::bytes_of_shares(c.tile, chosen.schedule) +
                                 (splits == 1 ? 0 : partials * static_cast<std::size_t>(splits));
    return chosen;
}

} // namespace ck_tile::grouped_conv_bwd_weight
