// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/support_kernels.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

// The three spatial dimensions of the kernels: those in front that the problem does not have get `missing`.
multi_index<3> aligned_right(const conv::extents& e, int spatial, int missing)
{
    multi_index<3> all = {missing, missing, missing};
    for(int d = 0; d < spatial; ++d)
        all[3 - spatial + d] = static_cast<int>(e[static_cast<std::size_t>(d)]);
    return all;
}

conv::extents output_extents(const conv::problem& p)
{
    conv::extents o = {};
    for(int d = 0; d < p.spatial; ++d)
        o[static_cast<std::size_t>(d)] = p.output(d);
    return o;
}

struct tensor_strides
{
    std::int64_t group, image;
    int pixel, channel;
};

tensor_strides strides_of(conv::layout order, const conv::problem& p, std::int64_t channels, std::int64_t pixels)
{
    switch(order)
    {
    case conv::layout::nhwgc: return {channels, pixels * p.groups * channels, static_cast<int>(p.groups * channels), 1};
    case conv::layout::gnhwc: return {p.batch * pixels * channels, pixels * channels, static_cast<int>(channels), 1};
    case conv::layout::ngchw: return {channels * pixels, p.groups * channels * pixels, 1, static_cast<int>(pixels)};
    }
    return {};
}

arguments arguments_of(const conv::problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.wei = data.wei;
    a.groups = static_cast<int>(p.groups), a.batch = static_cast<int>(p.batch);
    a.k = static_cast<int>(p.k), a.c = static_cast<int>(p.c);
    a.filter    = aligned_right(p.filter, p.spatial, 1);
    a.input     = aligned_right(p.input, p.spatial, 1);
    a.output    = aligned_right(output_extents(p), p.spatial, 1);
    a.stride    = aligned_right(p.stride, p.spatial, 1);
    a.dilation  = aligned_right(p.dilation, p.spatial, 1);
    a.left_pad  = aligned_right(p.left_pad, p.spatial, 0);
    a.right_pad = aligned_right(p.right_pad, p.spatial, 0);

    const tensor_strides in = strides_of(p.layout, p, p.c, p.input_pixels());
    a.in_group = in.group, a.in_image = in.image, a.in_channel = in.channel;
    for(int d = 2, pixel = in.pixel; d >= 0; pixel *= a.input[d--])
        a.in_spatial[d] = pixel;

    const tensor_strides out = strides_of(p.layout, p, p.k, p.output_pixels());
    a.out_group = out.group, a.out_image = out.image, a.out_pixel = out.pixel, a.out_channel = out.channel;
    a.splits = 1;
    return a;
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

std::vector<launch> operation::launches(const plan<operation>& what, const tensors& data, void* workspace)
{
    const config& c    = what.chosen->configuration;
    const problem& p   = what.problem;
    arguments a        = arguments_of(p, data);
    a.partials         = static_cast<float*>(workspace);
    a.splits           = what.splits;
    a.pixels_per_split = static_cast<int>(split_length(p, what.splits));
    a.tiles_m          = static_cast<int>(ceil_div(p.k, c.block.m));
    a.tiles_n          = static_cast<int>(ceil_div(row_length(p), c.block.n));

    std::vector<launch> all = {{*what.chosen->main, tiles_of(c, p) * a.splits, a}};
    if(a.splits > 1)
    {
        const finish_arguments f = {a.partials, a.wei, weights_of(p), a.splits};
        all.emplace_back((*what.support)["finish"],
                         ceil_div(f.weights, finish_program<architecture::gfx942, data_type::fp32>::per_block), f);
    }
    return all;
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference = support["reference"];
    return {{reference, ceil_div(weights_of(p), reference.threads), arguments_of(p, data)}};
}

} // namespace ck_tile::grouped_conv_bwd_weight
