// SPDX-License-Identifier: MIT
#include "ops/narrow_conv_bwd_weight/operation.hpp"

#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/narrow_conv_bwd_weight/kernel.hpp"

namespace ck_tile::narrow_conv_bwd_weight
{

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    static constexpr conv::tensor copied[] = {conv::tensor::in, conv::tensor::out};
    const double bytes                     = floor_bytes(chosen.problem);
    return conv::planned_narrow(dev, std::move(chosen), bytes, copied);
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p               = planned.problem;
    const conv::narrow_schedule& s = planned.schedule;
    const std::int64_t weights     = conv::weights_of(p);
    const kernel& sum              = (*planned.support)["sum"];
    if(!s.regions)
    {
        const conv::sum_arguments<> zeros = {nullptr, data.wei, weights, 0, {}};
        return {{sum, zeros.blocks(), zeros}};
    }
    const conv::narrow_instance i = planned.chosen->configuration;
    const conv::narrow_images images(i, p);
    conv::computed_tensors copies(images.given, images.computed, workspace, &(*planned.support)["repack"]);
    const conv::arguments c = conv::make_arguments(images.computed);
    const auto* in          = copies.read(data.in, conv::tensor::in);
    const auto* out         = copies.read(data.out, conv::tensor::out);
    arguments a             = {.in          = in,
                               .out         = out,
                               .wei         = data.wei,
                               .partials    = s.shares == 1 ? nullptr : static_cast<float*>(copies.rest()),
                               .channels    = static_cast<int>(p.groups * p.k),
                               .groups      = conv::groups_of(i, p),
                               .wei_strides = conv::weight_strides(p),
                               .in_lines    = conv::lines_of_input(c),
                               .out_lines   = conv::lines_of_output(c),
                               .regions     = conv::grid_of(i.limits, p, s.regions),
                               .pixels      = conv::own_pixels(i.limits, s.regions),
                               .slices      = s.slices,
                               .shares      = s.shares,
                               .maps        = {}};
    if(i.by_squares)
        a.maps = {conv::boxes_of_halos(i, p, a.regions.shape, in), conv::boxes_of_patches(i, p, out)};
    std::vector<launch> all = {{*planned.chosen->main, s.blocks(), a}};
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
    return conv::backward_weight::reference_launches(support["backward_weight_reference"], support["sum"], p, data,
                                                     workspace);
}

} // namespace ck_tile::narrow_conv_bwd_weight
