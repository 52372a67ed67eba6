// SPDX-License-Identifier: MIT
#include "ops/depthwise_conv_bwd_weight/operation.hpp"

#include "ops/depthwise_conv_bwd_weight/support_kernels.hpp"
#include "ops/grouped_conv/limits.hpp"

#include <algorithm>

namespace ck_tile::depthwise_conv_bwd_weight
{

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const conv::depthwise_instance i = chosen.chosen->configuration;
    const problem& p                 = chosen.problem;
    const conv::depthwise_images images(p);
    chosen.schedule     = conv::schedule_depthwise(dev, i, p);
    const auto partials = static_cast<std::size_t>(conv::weights_of(p) * chosen.schedule.shares) * sizeof(float);
    const bool one      = chosen.schedule.shares == 1 && p.batch > 0;
    chosen.workspace_bytes =
        conv::copies_bytes(images.given, images.computed, conv::depthwise_copied) + (one ? 0 : partials);
    chosen.cost = conv::depthwise_cost(dev, i, p, chosen.schedule,
                                       floor_bytes(p) + (one ? 0. : 2. * static_cast<double>(partials))) +
                  conv::copies_cost(images.given, images.computed, conv::depthwise_copied);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p                  = planned.problem;
    const conv::depthwise_schedule& s = planned.schedule;
    const std::int64_t weights        = conv::weights_of(p);
    const kernel& sum                 = (*planned.support)["sum"];
    if(!s.regions)
    {
        const conv::sum_arguments<> zeros = {nullptr, data.wei, weights, 0, {}};
        return {{sum, zeros.blocks(), zeros}};
    }
    const conv::depthwise_images images(p);
    conv::computed_tensors copies(images.given, images.computed, workspace, &(*planned.support)["repack"]);
    const conv::depthwise_instance i = planned.chosen->configuration;
    const conv::arguments c          = conv::make_arguments(images.computed);
    const auto* in                   = copies.read(data.in, conv::tensor::in);
    const auto* out                  = copies.read(data.out, conv::tensor::out);
    const arguments a                = {.in        = in,
                                        .out       = out,
                                        .wei       = data.wei,
                                        .partials  = s.shares == 1 ? nullptr : static_cast<float*>(copies.rest()),
                                        .batch     = c.batch,
                                        .channels  = static_cast<int>(p.groups),
                                        .in_lines  = conv::lines_of_input(c),
                                        .out_lines = conv::lines_of_output(c),
                                        .regions   = conv::grid_of(i.limits, p, s.regions),
                                        .pixels    = conv::own_pixels(i.limits, s.regions),
                                        .slices    = s.slices,
                                        .shares    = s.shares};
    std::vector<launch> all          = {{*planned.chosen->main, s.blocks(), a}};
    if(s.shares > 1)
    {
        const conv::sum_arguments<> added = {a.partials, data.wei, weights, s.shares, {}};
        all.emplace_back(sum, added.blocks(), added);
    }
    return copies.around(std::move(all));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace)
{
    return conv::backward_weight::reference_launches(support["reference"], support["sum"], p, data, workspace);
}

} // namespace ck_tile::depthwise_conv_bwd_weight
