// SPDX-License-Identifier: MIT
#include "ops/groupnorm_fwd/operation.hpp"

#include "ops/groupnorm/reference_support.hpp"
#include "ops/groupnorm_fwd/support_kernels.hpp"

namespace ck_tile::groupnorm_fwd
{
namespace
{

// Tensors of the size of x that a pass moves.
int tensors_moved(pass p) { return p == pass::sums ? 1 : 2; }

} // namespace

status validate(const problem& p)
{
    if(!(p.epsilon >= 0) || std::isinf(p.epsilon))
        return rejection{
            fmt::format("epsilon must be zero or positive and finite, but is {}: choose 1e-5, say", p.epsilon)};
    return groupnorm::validate(p);
}

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const tensor_shape image = image_shape(p), parameters = parameter_shape(p), statistics = statistic_shape(p);
    const std::int64_t terms = p.group_elements();
    const auto result        = tensor_role::result;
    return {{.name = "x", .type = p.type, .shape = image},
            {.name = "gamma", .type = p.type, .shape = parameters, .optional = true},
            {.name = "beta", .type = p.type, .shape = parameters, .optional = true},
            {.name = "y", .type = p.type, .shape = image, .role = result, .terms = terms},
            {.name = "mean", .type = data_type::fp32, .shape = statistics, .role = result, .terms = terms},
            {.name = "inv_std", .type = data_type::fp32, .shape = statistics, .role = result, .terms = terms}};
}

tensors operation::bind(std::span<void* const> at)
{
    return {at[0], at[1], at[2], at[3], static_cast<float*>(at[4]), static_cast<float*>(at[5])};
}

double operation::floor_bytes(const problem& p)
{
    return 2.0 * static_cast<double>(image_shape(p).elements()) * bytes_of(p.type);
}

status operation::supports(const config& c, const problem& p)
{
    return groupnorm::cut_into_slabs(c, p, facts(c.arch).compute_units, tensors_moved(c.pass), c.pass != pass::sums)
        .verdict();
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const problem& p = chosen.problem;
    auto steps = groupnorm::passes_with(dev, *chosen.chosen, p, {.several_tiles = false, .tensors = tensors_moved});
    if(!steps)
        return rejection{steps.reason()};
    chosen.schedule = std::move(*steps);
    chosen.cost     = chosen.schedule.cost;
    if(const auto* first = chosen.schedule.find(pass::sums))
        chosen.workspace_bytes = static_cast<std::size_t>(p.batch * p.channels()) *
                                 static_cast<std::size_t>(first->slabs.chunks.divisor) * sizeof(moments);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p    = planned.problem;
    const float inverse = 1.f / static_cast<float>(p.group_elements());
    moments* partials   = static_cast<moments*>(workspace);
    std::vector<launch> all;
    for(const auto& s : planned.schedule.steps)
    {
        const arguments a = {s.slabs,      data.x, data.gamma, data.beta, data.mean,
                             data.inv_std, data.y, partials,   p.epsilon, inverse};
        all.emplace_back(*s.by->main, s.slabs.slabs(), a);
        if(s.by->configuration.pass != pass::sums)
            continue;
        const finish_arguments f = {partials,      data.mean, data.inv_std,    s.slabs.chunks.divisor,
                                    int(p.groups), int(p.c),  int(p.pixels()), s.slabs.chunk,
                                    p.epsilon,     inverse};
        all.emplace_back((*planned.support)["finish"], p.batch * p.groups, f);
    }
    return all;
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const groupnorm::image_order order(p);
    reference_arguments a = {};
    a.x = data.x, a.gamma = data.gamma, a.beta = data.beta, a.y = data.y, a.mean = data.mean, a.inv_std = data.inv_std;
    a.pixels = int(p.pixels()), a.groups = int(p.groups), a.per_group = int(p.c), a.epsilon = p.epsilon;
    a.image = order.image, a.pixel = order.pixel, a.channel = order.channel;
    const auto pass_of = [&](reference_pass which, std::int64_t outputs) {
        a.pass = which, a.outputs = outputs;
        const kernel& reference = support["reference"];
        return launch(reference, ceil_div(outputs, reference.threads), a);
    };
    return {pass_of(reference_pass::statistics, p.batch * p.groups), pass_of(reference_pass::y, p.batch * a.image)};
}

// The kernel's magnitudes are not those of the reference, which follow errors of the mean through: these are made of its statistics.
void operation::finish_magnitudes(const problem& p, const harness::tensor_set& set,
                                  std::vector<reference_values>& results)
{
    const std::vector<reference_values> right = operation::reference(p, set);
    for(std::size_t i = 0; i < results.size(); ++i)
        results[i].magnitudes = right[i].magnitudes;
}

} // namespace ck_tile::groupnorm_fwd
