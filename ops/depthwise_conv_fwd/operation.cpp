// SPDX-License-Identifier: MIT
#include "ops/depthwise_conv_fwd/operation.hpp"

#include "ops/depthwise_conv_fwd/support_kernels.hpp"

namespace ck_tile::depthwise_conv_fwd
{
namespace
{

// Which tensors may be copied for the problem that kernels compute.
std::vector<conv::tensor> copied(const problem& p)
{
    using enum conv::tensor;
    return p.residual ? std::vector{in, out, out} : std::vector{in, out};
}

} // namespace

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const conv::depthwise_instance i = chosen.chosen->configuration;
    const problem& p                 = chosen.problem;
    const conv::depthwise_images images(p);
    chosen.schedule        = conv::schedule_depthwise(dev, i, p);
    chosen.workspace_bytes = conv::copies_bytes(images.given, images.computed, copied(p));
    chosen.cost            = conv::depthwise_cost(dev, i, p, chosen.schedule, floor_bytes(p)) +
                             conv::copies_cost(images.given, images.computed, copied(p));
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p = planned.problem;
    if(!planned.schedule.regions)
        return {};
    const conv::depthwise_images images(p);
    conv::computed_tensors copies(images.given, images.computed, workspace, &(*planned.support)["repack"]);
    arguments a  = conv::depthwise_arguments_of(planned.chosen->configuration, p, planned.schedule);
    a.from       = copies.read(data.in, conv::tensor::in);
    a.wei        = data.wei;
    a.bias       = data.bias;
    a.residual   = copies.read(data.residual, conv::tensor::out);
    a.activation = planned.problem.activation;
    a.to         = copies.write(data.out, conv::tensor::out);
    return copies.around({{*planned.chosen->main, planned.schedule.blocks(), a}});
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    return {reference_launch(support["reference"], p, data, p.activation)};
}

} // namespace ck_tile::depthwise_conv_fwd
