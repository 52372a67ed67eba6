// SPDX-License-Identifier: MIT
#include "ops/groupnorm_bwd/operation.hpp"

#include "ops/groupnorm/reference_support.hpp"
#include "ops/groupnorm_bwd/support_kernels.hpp"

namespace ck_tile::groupnorm_bwd
{
namespace
{

using step = groupnorm::pass_of<operation>;

// Tensors of the size of x that a pass moves.
int tensors_moved(pass p) { return p == pass::sums ? 2 : 3; }

// Partials are made by the pass that makes sums, if anything needs them.
const step* summing_step(const plan<operation>& planned)
{
    if(const step* sums = planned.schedule.find(pass::sums))
        return sums;
    return planned.problem.wanted.parameters() ? planned.schedule.find(pass::whole) : nullptr;
}

std::size_t partial_bytes(const plan<operation>& planned)
{
    const step* from = summing_step(planned);
    if(from == nullptr)
        return 0;
    return static_cast<std::size_t>(from->slabs.batch) * static_cast<std::size_t>(from->slabs.chunks.divisor) *
           static_cast<std::size_t>(from->slabs.channels) * sizeof(sums);
}

std::size_t group_sum_bytes(const problem& p) { return static_cast<std::size_t>(p.batch * p.groups) * sizeof(sums); }

} // namespace

status validate(const problem& p)
{
    if(!p.wanted.dx && !p.wanted.parameters())
        return rejection{"no gradient is wanted: ask for dx, dgamma or dbeta"};
    return groupnorm::validate(p);
}

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const auto result        = [](bool wanted) { return wanted ? tensor_role::result : tensor_role::absent; };
    const tensor_shape image = image_shape(p), parameters = parameter_shape(p), statistics = statistic_shape(p);
    const std::int64_t along = p.batch * p.pixels();
    return {{.name = "x", .type = p.type, .shape = image},
            {.name = "dy", .type = p.type, .shape = image},
            {.name = "gamma", .type = p.type, .shape = parameters, .optional = true},
            {.name = "mean", .type = data_type::fp32, .shape = statistics},
            {.name = "inv_std", .type = data_type::fp32, .shape = statistics},
            {.name = "dx", .type = p.type, .shape = image, .role = result(p.wanted.dx), .terms = p.group_elements()},
            {.name = "dgamma", .type = p.type, .shape = parameters, .role = result(p.wanted.dgamma), .terms = along},
            {.name = "dbeta", .type = p.type, .shape = parameters, .role = result(p.wanted.dbeta), .terms = along}};
}

tensors operation::bind(std::span<void* const> at)
{
    return {.x       = at[0],
            .dy      = at[1],
            .gamma   = at[2],
            .mean    = static_cast<const float*>(at[3]),
            .inv_std = static_cast<const float*>(at[4]),
            .dx      = at[5],
            .dgamma  = at[6],
            .dbeta   = at[7]};
}

double operation::floor_bytes(const problem& p)
{
    return (p.wanted.dx ? 3.0 : 2.0) * static_cast<double>(image_shape(p).elements()) * bytes_of(p.type);
}

status operation::supports(const config& c, const problem& p)
{
    status rules;
    if(!p.wanted.dx && c.pass != pass::sums)
        rules.also(rejection{"the pass makes dx, which is not wanted: choose one that makes sums"});
    const auto made = groupnorm::cut_into_slabs(c, p, facts(c.arch).compute_units, tensors_moved(c.pass));
    return rules.also(made.verdict());
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const problem& p = chosen.problem;
    auto steps = groupnorm::passes_with(dev, *chosen.chosen, p, {.result = p.wanted.dx, .tensors = tensors_moved});
    if(!steps)
        return rejection{steps.reason()};
    chosen.schedule        = std::move(*steps);
    chosen.cost            = chosen.schedule.cost;
    chosen.workspace_bytes = partial_bytes(chosen) + (chosen.schedule.find(pass::apply) ? group_sum_bytes(p) : 0);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p   = planned.problem;
    const step *second = planned.schedule.find(pass::apply), *summing = summing_step(planned);
    sums* partials       = summing != nullptr ? static_cast<sums*>(workspace) : nullptr;
    sums* group_sums     = second != nullptr ? partials + partial_bytes(planned) / sizeof(sums) : nullptr;
    const auto launch_of = [&](const step& s) {
        const float inverse = 1.f / static_cast<float>(p.group_elements());
        const arguments a   = {s.slabs,      data.x,  data.dy,  data.gamma, data.mean,
                               data.inv_std, data.dx, partials, group_sums, inverse};
        return launch(*s.by->main, s.slabs.slabs(), a);
    };
    std::vector<launch> all = {launch_of(planned.schedule.steps.front())};

    finish_arguments f = {};
    f.partials = partials, f.gamma = data.gamma, f.inv_std = data.inv_std, f.group_sums = group_sums;
    f.dgamma = data.dgamma, f.dbeta = data.dbeta;
    f.batch = int(p.batch), f.groups = int(p.groups), f.per_group = int(p.c);
    f.chunks                      = summing != nullptr ? summing->slabs.chunks.divisor : 0;
    f.group_blocks                = second != nullptr ? int(p.batch * p.groups) : 0;
    const std::int64_t parameters = p.wanted.parameters() ? ceil_div(p.channels(), channels_of_block) : 0;
    all.emplace_back((*planned.support)["finish"], f.group_blocks + parameters, f);
    if(second != nullptr)
        all.push_back(launch_of(*second));
    return all;
}

std::size_t operation::reference_workspace_bytes(const problem& p) { return group_sum_bytes(p); }

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace)
{
    const groupnorm::image_order order(p);
    reference_arguments a = {};
    a.x = data.x, a.dy = data.dy, a.gamma = data.gamma, a.mean = data.mean, a.inv_std = data.inv_std;
    a.dx = data.dx, a.dgamma = data.dgamma, a.dbeta = data.dbeta;
    a.group_sums = static_cast<sums*>(workspace);
    a.batch = int(p.batch), a.pixels = int(p.pixels()), a.groups = int(p.groups), a.per_group = int(p.c);
    a.image = order.image, a.pixel = order.pixel, a.channel = order.channel;

    std::vector<launch> all;
    const auto add = [&](reference_pass which, std::int64_t outputs) {
        a.pass = which, a.outputs = outputs;
        const kernel& reference = support["reference"];
        all.emplace_back(reference, ceil_div(outputs, reference.threads), a);
    };
    if(data.dx != nullptr)
    {
        add(reference_pass::group_sums, p.batch * p.groups);
        add(reference_pass::dx, p.batch * a.image);
    }
    if(data.dgamma != nullptr || data.dbeta != nullptr)
        add(reference_pass::parameters, p.channels());
    return all;
}

void operation::derive_inputs(const problem& p, harness::tensor_set& set)
{
    const groupnorm::statistics of_x(p, set["x"].values(), 1e-5);
    set["mean"].set_values(of_x.mean);
    set["inv_std"].set_values(of_x.inv_std);
}

// Magnitudes come from the reference kernel too, run with absolute values of dy, gamma and x - mean. dx then comes out as the
// magnitude of its first term less those of the other two.
void operation::make_absolute(const problem& p, harness::tensor_set& set)
{
    std::vector<float> x = set["x"].values(), dy = set["dy"].values(), gamma = set["gamma"].values();
    const std::vector<float> mean = set["mean"].values();
    groupnorm::image_order(p).each([&](std::size_t at, std::size_t statistic, std::size_t) {
        x[at]  = mean[statistic] + std::abs(x[at] - mean[statistic]);
        dy[at] = std::abs(dy[at]);
    });
    for(float& v : gamma)
        v = std::abs(v);
    set["x"].set_values(x);
    set["dy"].set_values(dy);
    set["gamma"].set_values(gamma);
}

void operation::finish_magnitudes(const problem& p, const harness::tensor_set& absolute,
                                  std::vector<reference_values>& results)
{
    if(!p.wanted.dx)
        return;
    const std::vector<float> dy = absolute["dy"].values(), gamma = absolute["gamma"].values(),
                             inv_std = absolute["inv_std"].values();
    const bool with_gamma            = absolute["gamma"].on_device();
    std::vector<double>& magnitudes  = results.front().magnitudes;
    groupnorm::image_order(p).each([&](std::size_t at, std::size_t statistic, std::size_t c) {
        magnitudes[at] = 2 * double(inv_std[statistic]) * (with_gamma ? gamma[c] : 1) * dy[at] - magnitudes[at];
    });
}

} // namespace ck_tile::groupnorm_bwd
