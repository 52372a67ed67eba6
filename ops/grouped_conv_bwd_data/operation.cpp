// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_data/operation.hpp"

#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv_bwd_data/kernel.hpp"

#include <algorithm>
#include <map>

namespace ck_tile::grouped_conv_bwd_data
{
namespace
{

std::int64_t inputs_of(const conv::problem& p) { return p.batch * p.groups * p.c * p.input_pixels(); }

// Products over the spatial dimensions. Of classes, more than a launch has blocks are as good as one more than that.
std::int64_t classes_of(const conv::problem& p)
{
    std::int64_t all = 1;
    for(int d = 0; d < p.spatial; ++d)
        all = std::min(all * p.stride[static_cast<std::size_t>(d)], conv::max_blocks + 1);
    return all;
}
std::int64_t most_positions(const conv::problem& p)
{
    std::int64_t all = 1;
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
        all *= ceil_div(p.input[d], p.stride[d]);
    return all;
}
std::int64_t least_positions(const conv::problem& p) // of a class that has any
{
    std::int64_t all = 1;
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
        all *= std::max<std::int64_t>(p.input[d] / p.stride[d], 1);
    return all;
}

std::int64_t pixel_tiles(const config& c, const conv::problem& p) // of the longest class
{
    return ceil_div(p.batch * most_positions(p), c.tile_pixels());
}
std::int64_t channel_tiles(const config& c, const conv::problem& p) { return ceil_div(p.c, c.tile_channels()); }

std::int64_t tiles_of(const config& c, const conv::problem& p) // of all classes
{
    return classes_of(p) * p.groups * pixel_tiles(c, p) * channel_tiles(c, p);
}

arguments arguments_of(const conv::problem& p, const tensors& data)
{
    arguments a = {.boxes     = {},
                   .out       = data.out,
                   .wei       = data.wei,
                   .in        = data.in,
                   .partials  = nullptr,
                   .conv      = conv::make_arguments(p),
                   .along     = {},
                   .splits    = 1,
                   .order     = {},
                   .work      = {},
                   .shared    = {},
                   .wei_steps = 0,
                   .inputs    = inputs_of(p)};
    for(int d = 0; d < 3; ++d)
        a.along[d] = conv::dimension{a.conv.input[d], a.conv.filter[d], a.conv.stride[d], a.conv.dilation[d],
                                     a.conv.left_pad[d]};
    return a;
}

// f(number, class) for each class that has something to multiply.
template <class F>
void for_each_class_with_terms(const arguments& a, const F& f)
{
    for(int i = 0; i < a.along[0].count() * a.along[1].count() * a.along[2].count(); ++i)
        if(const conv::residue_class<3> one = conv::class_of<3>(a.along, i); one.taps() > 0 && one.positions() > 0)
            f(i, one);
}

// Rejects problems that boxes are not of.
void need_boxes(status& rules, const conv::problem& q)
{
    conv::need_whole_boxes(rules, q);
    if(const std::int64_t classes = classes_of(q); classes > arguments::kinds_of_windows)
    {
        rules.also(rejection{fmt::format("boxes are of {} classes of inputs at most, but strides make {}: choose an "
                                         "instance of pipeline wave_specialized",
                                         +arguments::kinds_of_windows, classes)});
        return;
    }
    if(rules)
    {
        const arguments a = arguments_of(q, {});
        for_each_class_with_terms(a, [&](int, const conv::residue_class<3>& one) {
            conv::need_boxes_of_windows(rules, a.conv.output, conv::windows_of_class(one));
        });
    }
}

// Which tensors may be copied for the problem that kernels compute.
constexpr conv::tensor copied[] = {conv::tensor::out, conv::tensor::wei, conv::tensor::in};
tensors computed(conv::computed_tensors& t, const tensors& data)
{
    using enum conv::tensor;
    return {.out = t.read(data.out, out), .wei = t.read(data.wei, wei), .in = t.write(data.in, in)};
}

// Steps of the main loop of a tile where there is one class; and whether a block could keep the same weights for all of its tiles.
std::int64_t steps_of(const config& c, const conv::problem& q)
{
    return ceil_div(q.filter_taps() * q.k, c.tile.block.k);
}
bool keeps_weights(const config& c, const conv::problem& q, int splits)
{
    return c.has_pixel_rows() && classes_of(q) == 1 && conv::keeps_weights(c.tile, q, splits, steps_of(c, q));
}

// The blocks of each number of taps, those with most taps first. Along a dimension, taps numbered from 0 go round the classes that have
// any: some have one more than the others.
std::vector<conv::equal_blocks> blocks_of(const config& c, const conv::problem& p)
{
    const std::int64_t tiles                             = p.groups * pixel_tiles(c, p) * channel_tiles(c, p);
    std::map<std::int64_t, std::int64_t> classes_by_taps = {{1, 1}};
    for(const conv::residues& r : arguments_of(p, {}).along)
    {
        const std::int64_t classes = r.with_taps(), each = r.of_all.filter / classes,
                           longer = r.of_all.filter % classes;
        std::map<std::int64_t, std::int64_t> products;
        for(const auto& [taps, count] : classes_by_taps)
        {
            products[taps * (each + 1)] += count * longer;
            products[taps * each] += count * (classes - longer);
        }
        classes_by_taps = std::move(products);
    }
    std::vector<conv::equal_blocks> blocks;
    std::int64_t with_taps = 0;
    for(auto i = classes_by_taps.rbegin(); i != classes_by_taps.rend(); ++i)
        if(const auto& [taps, count] = *i; taps > 0 && count > 0)
        {
            blocks.push_back({count * tiles, ceil_div(taps * p.k, c.tile.block.k)});
            with_taps += count;
        }
    if(const std::int64_t without = classes_of(p) - with_taps; without > 0)
        blocks.push_back({without * tiles, 0});
    return blocks;
}

} // namespace

status operation::supports(const config& c, const problem& p)
{
    const problem q = conv::computed(p, c.spatial, c.vector);
    status rules;
    conv::need_dimensions(rules, c.spatial, p, c.vector.out, c.vector.wei);
    conv::need_little_padding(rules, p, q);
    conv::need_short_filter(rules, c.spatial, p, c.vector.out);
    conv::need_view_of_weights(rules, q, bytes_of(p.type));
    conv::need_view_of_images(rules, q, c.tile_pixels(), least_positions(p));
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
    {
        const std::int64_t reach =
            std::max(p.stride[d] * p.dilation[d], p.input[d] + p.left_pad[d] + p.right_pad[d] + p.stride[d]);
        if(reach > conv::range_bytes)
            rules.also(rejection{
                fmt::format("the padded input and the stride must add up to {} at most, and so must stride and "
                            "dilation multiply, but in a dimension it is {}: choose smaller ones",
                            conv::range_bytes, reach)});
    }
    conv::need_blocks(rules, std::max(classes_of(p), tiles_of(c, q)));
    if(c.takes_boxes())
        need_boxes(rules, q);
    return rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const config& c   = chosen.chosen->configuration;
    const problem& p  = chosen.problem;
    const problem q   = conv::computed(p, c.spatial, c.vector);
    const auto blocks = blocks_of(c, q);
    if(status possible = conv::check_splits(chosen.splits, tiles_of(c, q), blocks.front().steps); !possible)
        return possible;
    if(status possible = conv::check_pointwise(c.spatial, chosen.splits); !possible)
        return possible;
    const bool partials_fit = !c.is_pointwise() && conv::partials_fit(q, c.tile_pixels(), least_positions(q),
                                                                      q.input_pixels() * q.groups * q.c);
    if(status possible = conv::check_partials(chosen.splits, partials_fit); !possible)
        return possible;
    const conv::split_choice choice =
        conv::choose_splits(dev, conv::work_of(c, c.rows, q, blocks, inputs_of(q)), partials_fit ? chosen.splits : 1);
    chosen.splits = choice.splits;
    chosen.cost   = conv::cost_with_copies(choice, c.spatial, p, q, copied);
    chosen.schedule =
        conv::make_schedule(dev, c.tile, c.blocks_at_once(), tiles_of(c, q) * chosen.splits, blocks.front().steps,
                            choice, keeps_weights(c, q, chosen.splits) ? channel_tiles(c, q) : 1);
    chosen.workspace_bytes = conv::copies_bytes(p, q, copied) + conv::bytes_of_shares(c.tile, chosen.schedule);
    if(chosen.splits > 1)
        chosen.workspace_bytes += static_cast<std::size_t>(chosen.splits * inputs_of(q)) * sizeof(float);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const config& c     = planned.chosen->configuration;
    const problem& p    = planned.problem;
    const auto& support = *planned.support;
    const problem q     = conv::computed(p, c.spatial, c.vector);
    conv::computed_tensors copies(p, q, workspace, &support["repack"]);
    const int pixels   = static_cast<int>(std::max<std::int64_t>(pixel_tiles(c, q), 1)),
              channels = static_cast<int>(channel_tiles(c, q));
    if(c.is_pointwise())
        return conv::main_launches(
            planned, workspace, conv::leave{},
            conv::pointwise_arguments_of(q, false, data.wei, data.out, data.in, conv::leave{}, pixels, channels));
    arguments a = arguments_of(q, computed(copies, data));
    a.partials  = static_cast<float*>(copies.rest());
    a.splits    = planned.splits;
    a.order     = {{{static_cast<int>(classes_of(p)), planned.splits, a.conv.groups, pixels, channels}}};
    if(c.takes_boxes())
    {
        a.boxes.matrix = conv::boxes_of_weight_columns(a.wei, a.conv, c.tile.block.k, c.tile_channels());
        for_each_class_with_terms(a, [&](int number, const conv::residue_class<3>& one) {
            a.boxes.windows[number] = conv::boxes_of_class_windows(a.out, a.conv, one, c.tile_pixels());
        });
    }
    if(keeps_weights(c, q, planned.splits) && planned.schedule.blocks % channels == 0)
        a.wei_steps = static_cast<int>(steps_of(c, q));
    std::vector<launch> all = conv::main_launches(planned, copies.rest(), conv::leave{}, a);
    if(planned.splits > 1)
    {
        const conv::sum_arguments<> s = {a.partials, a.in, a.inputs, planned.splits, {}};
        all.emplace_back(support["sum"], s.blocks(), s);
    }
    return copies.around(std::move(all));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    return {reference_launch(support["backward_data_reference"], p, data)};
}

} // namespace ck_tile::grouped_conv_bwd_data
