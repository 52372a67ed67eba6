// SPDX-License-Identifier: MIT
#include "ops/scale/operation.hpp"

#include "ops/scale/kernel.hpp"

#include <cmath>

namespace ck_tile::scale
{

namespace
{
arguments arguments_of(const problem& p, const tensors& data)
{
    return {data.x, data.y, static_cast<int>(p.elements), p.factor};
}
} // namespace

status validate(const problem& p)
{
    if(p.elements < 0 || p.elements > 1 << 28)
        return rejection{fmt::format("N must be from 0 to 2^28, but is {}: choose another length", p.elements)};
    return {};
}

std::string describe(const problem& p)
{
    return fmt::format("scale {} N{} by {}", name_of(p.type), p.elements, p.factor);
}

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const tensor_shape shape = packed_shape({p.elements});
    return {{.name = "x", .type = p.type, .shape = shape},
            {.name = "y", .type = p.type, .shape = shape, .role = tensor_role::result, .terms = 1}};
}

status operation::supports(const config& c, const problem& p)
{
    if(p.elements % c.vector != 0)
        return rejection{fmt::format("N = {} is not a multiple of the vector width {}: choose an instance with a "
                                     "narrower vector, or pad",
                                     p.elements, c.vector)};
    return {};
}

result<plan<operation>> operation::schedule_on(const device&, plan<operation> chosen)
{
    chosen.cost = 1.0 / chosen.chosen->configuration.vector;
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void*)
{
    const std::int64_t blocks = ceil_div(planned.problem.elements, planned.chosen->configuration.tile().lengths[0]);
    return {{*planned.chosen->main, blocks, arguments_of(planned.problem, data)}};
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference = support["reference"];
    return {{reference, ceil_div(p.elements, std::int64_t(reference.threads)), arguments_of(p, data)}};
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    const std::vector<float> x = set["x"].values();
    std::vector<reference_values> results(1, reference_values(p.elements));
    for(std::size_t i = 0; i < x.size(); ++i)
        results[0].set(i, double(p.factor) * x[i], std::abs(double(p.factor) * x[i]));
    return results;
}

} // namespace ck_tile::scale
