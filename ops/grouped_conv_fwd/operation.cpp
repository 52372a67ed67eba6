// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_fwd/operation.hpp"

#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv_fwd/support_kernels.hpp"

#include <algorithm>

namespace ck_tile::grouped_conv_fwd
{
namespace
{

std::int64_t outputs_of(const conv::problem& p) { return p.groups * p.k * conv::pixels_of(p); }

std::int64_t pixel_tiles(const config& c, const conv::problem& p)
{
    return ceil_div(conv::pixels_of(p), c.tile_pixels());
}
std::int64_t channel_tiles(const config& c, const conv::problem& p) { return ceil_div(p.k, c.tile_channels()); }

arguments arguments_of(const problem& p, const conv::problem& q, const tensors& data)
{
    return {.boxes     = {},
            .in        = data.in,
            .wei       = data.wei,
            .out       = data.out,
            .partials  = nullptr,
            .end       = {data.bias, data.residual, p.activation},
            .conv      = conv::make_arguments(q),
            .splits    = 1,
            .order     = {},
            .work      = {},
            .shared    = {},
            .wei_steps = 0,
            .outputs   = outputs_of(q)};
}

// Which tensors may be copied for the problem that kernels compute.
std::vector<conv::tensor> copied(const problem& p)
{
    using enum conv::tensor;
    std::vector<conv::tensor> all = {in, wei, out};
    if(p.bias)
        all.push_back(bias);
    if(p.residual)
        all.push_back(out);
    return all;
}
tensors computed(conv::computed_tensors& t, const tensors& data)
{
    using enum conv::tensor;
    return {.in       = t.read(data.in, in),
            .wei      = t.read(data.wei, wei),
            .bias     = t.read(data.bias, bias),
            .residual = t.read(data.residual, out),
            .out      = t.write(data.out, out)};
}

// Of the main loop of a tile.
std::int64_t steps_of(const config& c, const conv::problem& q) { return ceil_div(conv::row_length(q), c.tile.block.k); }

bool keeps_weights(const config& c, const conv::problem& q, int splits)
{
    return c.has_pixel_rows() && conv::keeps_weights(c.tile, q, splits, steps_of(c, q));
}

std::size_t partial_bytes(const conv::problem& p, int splits)
{
    return splits == 1 ? 0 : static_cast<std::size_t>(splits * outputs_of(p)) * sizeof(float);
}

} // namespace

status operation::supports(const config& c, const problem& p)
{
    const conv::problem q = conv::computed_through_windows(p, c.spatial, c.vector);
    status rules;
    conv::need_dimensions(rules, c.spatial, p, c.vector.in, c.vector.wei);
    conv::need_little_padding(rules, p, q);
    conv::need_short_filter(rules, c.spatial, q, c.vector.in);
    conv::need_view_of_weights(rules, q, bytes_of(p.type));
    conv::need_view_of_images(rules, q, c.tile_pixels(), p.output_pixels());
    conv::need_blocks(rules, pixel_tiles(c, q) * channel_tiles(c, q) * p.groups);
    if(c.takes_boxes())
        conv::need_boxes_of_input(rules, q);
    return rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const config& c          = chosen.chosen->configuration;
    const problem& p         = chosen.problem;
    const conv::problem q    = conv::computed_through_windows(p, c.spatial, c.vector);
    const std::int64_t tiles = pixel_tiles(c, q) * channel_tiles(c, q) * q.groups, steps = steps_of(c, q);
    if(status possible = conv::check_splits(chosen.splits, tiles, steps); !possible)
        return possible;
    if(status possible = conv::check_pointwise(c.spatial, chosen.splits); !possible)
        return possible;
    const bool partials_fit = !c.is_pointwise() && conv::partials_fit(q, c.tile_pixels(), q.output_pixels(),
                                                                      q.output_pixels() * q.groups * q.k);
    if(status possible = conv::check_partials(chosen.splits, partials_fit); !possible)
        return possible;
    const conv::split_choice choice = conv::choose_splits(
        dev, conv::work_of(c, c.rows, q, {{tiles, steps}}, outputs_of(q)), partials_fit ? chosen.splits : 1);
    chosen.splits          = choice.splits;
    chosen.cost            = conv::cost_with_copies(choice, c.spatial, p, q, copied(p));
    chosen.schedule        = conv::make_schedule(dev, c.tile, c.blocks_at_once(), tiles * chosen.splits, steps, choice,
                                                 keeps_weights(c, q, chosen.splits) ? channel_tiles(c, q) : 1);
    chosen.workspace_bytes = conv::copies_bytes(p, q, copied(p)) + partial_bytes(q, chosen.splits) +
                             conv::bytes_of_shares(c.tile, chosen.schedule);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const config& c       = planned.chosen->configuration;
    const problem& p      = planned.problem;
    const auto& support   = *planned.support;
    const conv::problem q = conv::computed_through_windows(p, c.spatial, c.vector);
    conv::computed_tensors copies(p, q, workspace, &support["repack"]);
    const int pixels   = static_cast<int>(std::max<std::int64_t>(pixel_tiles(c, q), 1)),
              channels = static_cast<int>(channel_tiles(c, q));
    if(c.is_pointwise())
        return conv::main_launches(planned, workspace, finish_sum{{}, 1, 1},
                                   conv::pointwise_arguments_of(q, true, data.wei, data.in, data.out,
                                                                conv::finish{data.bias, data.residual, p.activation},
                                                                pixels, channels));
    arguments a = arguments_of(p, q, computed(copies, data));
    a.partials  = static_cast<float*>(copies.rest());
    a.splits    = planned.splits;
    a.order     = {{{planned.splits, a.conv.groups, pixels, channels}}};
    if(c.takes_boxes())
    {
        a.boxes.matrix     = conv::boxes_of_weight_rows(a.wei, a.conv, c.tile_channels());
        a.boxes.windows[0] = conv::boxes_of_input_windows(a.in, a.conv, c.tile_pixels());
    }
    if(keeps_weights(c, q, planned.splits) && planned.schedule.blocks % channels == 0)
        a.wei_steps = static_cast<int>(steps_of(c, q));
    std::vector<launch> all = conv::main_launches(planned, copies.rest(), finish_sum{{}, 1, 1}, a);
    if(planned.splits > 1)
    {
        const bool by_group                     = q.layout == conv::layout::gnhwc;
        const int with_bias                     = static_cast<int>(by_group ? q.k : q.groups * q.k);
        const conv::sum_arguments<finish_sum> s = {a.partials,
                                                   a.out,
                                                   a.outputs,
                                                   planned.splits,
                                                   {a.end, by_group ? conv::pixels_of(q) * q.k : a.outputs, with_bias}};
        all.emplace_back(support["sum"], s.blocks(), s);
    }
    return copies.around(std::move(all));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    return {reference_launch(support["forward_reference"], p, data, p.activation)};
}

} // namespace ck_tile::grouped_conv_fwd
