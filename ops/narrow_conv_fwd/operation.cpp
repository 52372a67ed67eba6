// SPDX-License-Identifier: MIT
#include "ops/narrow_conv_fwd/operation.hpp"

#include "ops/narrow_conv_fwd/kernel.hpp"

namespace ck_tile::narrow_conv_fwd
{
status operation::supports(const config& c, const problem& p)
{
    status rules = conv::narrow_supports(c, p);
    if(c.by_squares() && p.residual)
        rules.also(rejection{
            "products of squares add no residual: choose an instance of 1 tap, whose operands are in registers"});
    return rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    // A residual as what is made.
    static constexpr conv::tensor copied[] = {conv::tensor::in, conv::tensor::out, conv::tensor::out};
    const problem p                        = chosen.problem;
    return conv::planned_narrow(dev, std::move(chosen), floor_bytes(p), std::span(copied).first(p.residual ? 3 : 2));
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p = planned.problem;
    if(!planned.schedule.regions)
        return {};
    const conv::narrow_images images(planned.chosen->configuration, p);
    conv::computed_tensors copies(images.given, images.computed, workspace, &(*planned.support)["repack"]);
    arguments a  = conv::narrow_arguments_of(planned.chosen->configuration, p, planned.schedule);
    a.from       = copies.read(data.in, conv::tensor::in);
    a.wei        = data.wei;
    a.bias       = data.bias;
    a.residual   = copies.read(data.residual, conv::tensor::out);
    a.activation = planned.problem.activation;
    a.to         = copies.write(data.out, conv::tensor::out);
    return copies.around({conv::narrow_launch(planned, a)});
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    return {reference_launch(support["forward_reference"], p, data, p.activation)};
}

} // namespace ck_tile::narrow_conv_fwd
