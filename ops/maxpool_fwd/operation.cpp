// SPDX-License-Identifier: MIT
#include "ops/maxpool_fwd/operation.hpp"

#include "ops/maxpool/reference.hpp"
#include "ops/maxpool_fwd/support_kernels.hpp"
#include "ops/pooling/launch.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

arguments arguments_of(const maxpool::problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.indices = data.indices;
    pooling::set_problem(a, p);
    return a;
}

// Instructions that compare one element of a window with the largest so far, and keep it and its index.
double per_element(const config& c) { return c.in_halves() ? 0.7 : 3; }

maxpool::problem with_joined_rows(maxpool::problem p)
{
    pooling::join_rows(p);
    return p;
}

schedule shares_of(const config& c, const maxpool::problem& p)
{
    return pooling::shares_of(c.shape(), with_joined_rows(p), per_element(c));
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const bool indexed = p.indices != indices::recompute;
    return {{.name = "in", .type = p.type, .shape = pooling::input_shape(p)},
            {.name     = "out",
             .type     = p.type,
             .shape    = pooling::output_shape(p),
             .role     = tensor_role::result,
             .optional = true},
            {.name     = "indices",
             .type     = maxpool::type_of(p.indices),
             .shape    = pooling::output_shape(p),
             .role     = indexed ? tensor_role::result : tensor_role::absent,
             .optional = true}};
}

status operation::supports(const config& c, const problem& p)
{
    status rules;
    if(p.indices != indices::recompute && c.index != p.indices)
        rules.also(rejection{
            fmt::format("the instance writes {} indices, the problem wants {}", name_of(c.index), name_of(p.indices))});
    rules.also(pooling::check_kind(c.layout, c.vector, p)).also(pooling::check_image(p, maxpool::bytes_of(p.indices)));
    return rules ? pooling::check_blocks(shares_of(c, p).blocks_per_image, p.batch) : rules;
}

result<plan<operation>> operation::schedule_on(const device&, plan<operation> chosen)
{
    const config& c = chosen.chosen->configuration;
    chosen.schedule = shares_of(c, chosen.problem);
    chosen.cost     = pooling::cost_of(c.shape(), with_joined_rows(chosen.problem), chosen.schedule, per_element(c));
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void*)
{
    arguments a = arguments_of(with_joined_rows(planned.problem), data);
    pooling::set_schedule(a, planned.chosen->configuration.shape(), planned.schedule);
    if(planned.problem.indices == indices::recompute)
        a.indices = nullptr;
    return {{*planned.chosen->main, planned.problem.batch * planned.schedule.blocks_per_image, a}};
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference     = support["reference"];
    const reference_arguments a = {arguments_of(p, data), p.layout == maxpool::layout::nhwc};
    return {{reference, ceil_div(pooling::output_shape(p).elements(), reference.threads), a}};
}

status operation::reference_supports(const problem& p)
{
    if(p.indices != indices::int64)
        return rejection{fmt::format("the reference kernel writes int64 indices, the problem wants {}: choose int64",
                                     name_of(p.indices))};
    return {};
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    maxpool::maxima maxima = maxpool::reference_maxima(p, set["in"].values());
    std::vector<reference_values> results(1);
    results[0].values.assign(maxima.values.begin(), maxima.values.end());
    if(p.indices != indices::recompute)
        results.emplace_back().integers = std::move(maxima.indices);
    return results;
}

// The reference kernel writes flat indices of 8 bytes.
operation::problem operation::reference_problem(problem p)
{
    p.type    = data_type::fp32;
    p.indices = indices::int64;
    return p;
}

std::vector<std::int64_t> operation::integers_of(const problem& p, const harness::host_tensor& stored)
{
    return maxpool::decode_indices(p, stored.elements);
}

} // namespace ck_tile::maxpool_fwd
