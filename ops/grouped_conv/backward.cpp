// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/backward.hpp"

#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/reference.hpp"
#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/sum.hpp"

#include <algorithm>

namespace ck_tile::conv
{

std::vector<tensor_info> backward_data::tensor_list(const problem& p)
{
    // slack: a matrix unit adds several products at once, and may cut off the bits where an fma would round.
    return {{.name = "out", .type = p.type, .shape = output_shape(p)},
            {.name = "wei", .type = p.type, .shape = weight_shape(p)},
            {.name  = "in",
             .type  = p.type,
             .shape = input_shape(p),
             .role  = tensor_role::result,
             .terms = p.filter_taps() * p.k,
             .slack = 4}};
}

launch backward_data::reference_launch(const kernel& reference, const problem& p, const tensors& data)
{
    const std::int64_t inputs                  = p.batch * p.groups * p.c * p.input_pixels();
    const backward_data_reference::arguments a = {data.out, data.wei, data.in, make_arguments(p), inputs};
    return {reference, ceil_div(inputs, reference.threads), a};
}

std::vector<reference_values> backward_data::reference(const problem& p, const harness::tensor_set& set)
{
    return {convolve_back(p, set["out"].values(), set["wei"].values())};
}

std::vector<tensor_info> backward_weight::tensor_list(const problem& p)
{
    // slack: a matrix unit adds several products at once, and may cut off the bits where an fma would round. Instances without one
    // are held to the same bound, as no user can tell them apart.
    return {{.name = "in", .type = p.type, .shape = input_shape(p)},
            {.name = "out", .type = p.type, .shape = output_shape(p)},
            {.name  = "wei",
             .type  = p.type,
             .shape = weight_shape(p),
             .role  = tensor_role::result,
             .terms = std::max<std::int64_t>(p.batch * p.output_pixels(), 1),
             .slack = 4}};
}

namespace
{

// A thread of the reference kernel adds at least so many pixels, and where weights are few, there are so many threads.
constexpr std::int64_t least_pixels = 1024, most_pixels = 1 << 30, enough_threads = 1 << 20;

int reference_splits(const problem& p)
{
    const std::int64_t pixels = p.batch * p.output_pixels();
    const std::int64_t wanted = std::max(enough_threads / weights_of(p), ceil_div(pixels, most_pixels));
    return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(pixels / least_pixels, 1)));
}

} // namespace

std::vector<launch> backward_weight::reference_launches(const kernel& reference, const kernel& sum, const problem& p,
                                                        const tensors& data, void* workspace)
{
    const int splits                             = reference_splits(p);
    const backward_weight_reference::arguments a = {
        .in               = data.in,
        .out              = data.out,
        .wei              = data.wei,
        .partials         = static_cast<float*>(workspace),
        .conv             = make_arguments(p),
        .splits           = splits,
        .pixels_per_split = static_cast<int>(ceil_div(p.batch * p.output_pixels(), std::int64_t(splits)))};
    std::vector<launch> all = {{reference, ceil_div(splits * weights_of(p), std::int64_t(reference.threads)), a}};
    if(splits > 1)
    {
        const sum_arguments<> s = {a.partials, a.wei, weights_of(p), splits, {}};
        all.emplace_back(sum, s.blocks(), s);
    }
    return all;
}

std::size_t backward_weight::reference_workspace_bytes(const problem& p)
{
    const int splits = reference_splits(p);
    return splits == 1 ? 0 : static_cast<std::size_t>(splits * weights_of(p)) * sizeof(float);
}

std::vector<reference_values> backward_weight::reference(const problem& p, const harness::tensor_set& set)
{
    return {weight_gradient(p, set["in"].values(), set["out"].values())};
}

} // namespace ck_tile::conv
