// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

#include <algorithm>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

arguments arguments_of(const conv::problem& p, const tensors& data)
{
    return {.boxes            = {},
            .in               = data.in,
            .out              = data.out,
            .wei              = data.wei,
            .partials         = nullptr,
            .conv             = conv::make_arguments(p),
            .splits           = 1,
            .pixels_per_split = 0,
            .order            = {},
            .short_from       = 0,
            .short_row        = 0,
            .work             = {},
            .shared           = {}};
}

tensors computed(conv::computed_tensors& t, const tensors& data)
{
    using enum conv::tensor;
    return {.in = t.read(data.in, in), .out = t.read(data.out, out), .wei = t.write(data.wei, wei)};
}

} // namespace

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const config& c     = planned.chosen->configuration;
    const problem& p    = planned.problem;
    const auto& support = *planned.support;
    const problem q     = conv::computed_through_windows(p, c.spatial, c.vector);
    conv::computed_tensors copies(p, q, workspace, &support["repack"]);
    arguments a        = arguments_of(q, computed(copies, data));
    a.partials         = static_cast<float*>(copies.rest());
    a.splits           = planned.splits;
    a.pixels_per_split = static_cast<int>(split_length(c, q, planned.splits));
    if(c.takes_boxes())
    {
        a.boxes.matrix     = conv::boxes_of_pixels(a.out, a.conv, c.tile.block.k);
        a.boxes.windows[0] = conv::boxes_of_input_windows(a.in, a.conv, c.tile.block.k);
    }
    const int columns       = static_cast<int>(ceil_div(row_length(q), c.tile.block.n));
    a.short_row             = static_cast<int>(ceil_div(q.k, c.tile.block.m)) - has_short_row(c, q);
    a.order                 = {{{a.splits, a.conv.groups, columns, std::max(a.short_row, 1)}}};
    a.short_from            = a.splits * a.conv.groups * columns * a.short_row;
    std::vector<launch> all = conv::main_launches(planned, copies.rest(), conv::leave{}, a);
    if(a.splits > 1)
    {
        const conv::sum_arguments<> s = {a.partials, a.wei, weights_of(q), a.splits, {}};
        all.emplace_back(support["sum"], s.blocks(), s);
    }
    return copies.around(std::move(all));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace)
{
    return conv::backward_weight::reference_launches(support["backward_weight_reference"], support["sum"], p, data,
                                                     workspace);
}

} // namespace ck_tile::grouped_conv_bwd_weight
