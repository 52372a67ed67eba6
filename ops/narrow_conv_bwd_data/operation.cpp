// SPDX-License-Identifier: MIT
#include "ops/narrow_conv_bwd_data/operation.hpp"

#include "ops/narrow_conv_bwd_data/kernel.hpp"

namespace ck_tile::narrow_conv_bwd_data
{
result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    static constexpr conv::tensor copied[] = {conv::tensor::in, conv::tensor::out};
    const double bytes                     = floor_bytes(chosen.problem);
    return conv::planned_narrow(dev, std::move(chosen), bytes, copied);
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p = planned.problem;
    if(!planned.schedule.regions)
        return {};
    const conv::narrow_images images(planned.chosen->configuration, p);
    conv::computed_tensors copies(images.given, images.computed, workspace, &(*planned.support)["repack"]);
    arguments a = conv::narrow_arguments_of(planned.chosen->configuration, p, planned.schedule);
    a.from      = copies.read(data.out, conv::tensor::out);
    a.wei       = data.wei;
    a.to        = copies.write(data.in, conv::tensor::in);
    return copies.around({conv::narrow_launch(planned, a)});
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    return {reference_launch(support["backward_data_reference"], p, data)};
}

} // namespace ck_tile::narrow_conv_bwd_data
