// SPDX-License-Identifier: MIT
#include "ops/avgpool_fwd/operation.hpp"

#include "ops/avgpool/launch.hpp"
#include "ops/avgpool/reference.hpp"
#include "ops/avgpool_fwd/support_kernels.hpp"

namespace ck_tile::avgpool_fwd
{
namespace
{

constexpr double per_element = 1; // instructions that add one

arguments arguments_of(const avgpool::problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.divisor = avgpool::divisor_of(p);
    pooling::set_problem(a, p);
    return a;
}

avgpool::problem with_joined_rows(avgpool::problem p)
{
    pooling::join_rows(p);
    return p;
}

schedule shares_of(const config& c, const avgpool::problem& p)
{
    return pooling::shares_of(c.shape(), with_joined_rows(p), per_element);
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    return {{.name = "in", .type = p.type, .shape = pooling::input_shape(p)},
            {.name  = "out",
             .type  = p.type,
             .shape = pooling::output_shape(p),
             .role  = tensor_role::result,
             .terms = p.window_elements()}};
}

status operation::supports(const config& c, const problem& p)
{
    status rules;
    rules.also(pooling::check_kind(c.layout, c.vector, p)).also(pooling::check_image(p));
    return rules ? pooling::check_blocks(shares_of(c, p).blocks_per_image, p.batch) : rules;
}

result<plan<operation>> operation::schedule_on(const device&, plan<operation> chosen)
{
    const config& c = chosen.chosen->configuration;
    chosen.schedule = shares_of(c, chosen.problem);
    chosen.cost     = pooling::cost_of(c.shape(), with_joined_rows(chosen.problem), chosen.schedule, per_element);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void*)
{
    arguments a = arguments_of(with_joined_rows(planned.problem), data);
    pooling::set_schedule(a, planned.chosen->configuration.shape(), planned.schedule);
    return {{*planned.chosen->main, planned.problem.batch * planned.schedule.blocks_per_image, a}};
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference     = support["reference"];
    const reference_arguments a = {arguments_of(p, data), p.layout == avgpool::layout::nhwc};
    return {{reference, ceil_div(pooling::output_shape(p).elements(), reference.threads), a}};
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    return {avgpool::reference_forward(p, set["in"].values())};
}

} // namespace ck_tile::avgpool_fwd
