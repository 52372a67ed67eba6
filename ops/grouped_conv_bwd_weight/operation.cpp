// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/support_kernels.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

arguments arguments_of(const conv::problem& p, const tensors& data)
{
    return {.in               = data.in,
            .out              = data.out,
            .wei              = data.wei,
            .partials         = nullptr,
            .conv             = conv::make_arguments(p),
            .splits           = 1,
            .pixels_per_split = 0,
            .order            = {},
            .work             = {},
            .shared           = {}};
}

tensors computed(conv::computed_tensors& t, const tensors& data)
{
    using enum conv::tensor;
    return {.in = t.read(data.in, in), .out = t.read(data.out, out), .wei = t.write(data.wei, wei)};
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    // slack: a matrix unit adds several products at once, and may cut off the bits where an fma would round. Instances without one
    // are held to the same bound, as no user can tell them apart.
    return {{.name = "in", .type = p.type, .shape = conv::input_shape(p)},
            {.name = "out", .type = p.type, .shape = conv::output_shape(p)},
            {.name  = "wei",
             .type  = p.type,
             .shape = conv::weight_shape(p),
             .role  = tensor_role::result,
             .terms = std::max<std::int64_t>(p.batch * p.output_pixels(), 1),
             .slack = 4}};
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const config& c     = planned.chosen->configuration;
    const problem& p    = planned.problem;
    const auto& support = *planned.support;
    const problem q     = conv::computed(p, c.spatial, c.vector);
    conv::computed_tensors copies(p, q, workspace, &support["repack"]);
    arguments a             = arguments_of(q, computed(copies, data));
    a.partials              = static_cast<float*>(copies.rest());
    a.splits                = planned.splits;
    a.pixels_per_split      = static_cast<int>(split_length(c, q, planned.splits));
    a.order                 = {{{a.splits, a.conv.groups, static_cast<int>(ceil_div(row_length(q), c.tile.block.n)),
                                 static_cast<int>(ceil_div(q.k, c.tile.block.m))}}};
    std::vector<launch> all = conv::main_launches(planned, copies.rest(), conv::leave{}, a);
    if(a.splits > 1)
    {
        const conv::sum_arguments<> s = {a.partials, a.wei, weights_of(q), a.splits, {}};
        all.emplace_back(support["sum"], s.blocks(), s);
    }
    return copies.around(std::move(all));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference = support["reference"];
    return {{reference, ceil_div(weights_of(p), reference.threads), arguments_of(p, data)}};
}

} // namespace ck_tile::grouped_conv_bwd_weight
