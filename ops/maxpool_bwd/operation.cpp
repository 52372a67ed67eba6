// SPDX-License-Identifier: MIT
#include "ops/maxpool_bwd/operation.hpp"

#include "ops/maxpool/reference.hpp"
#include "ops/maxpool_bwd/support_kernels.hpp"
#include "ops/pooling/launch.hpp"

namespace ck_tile::maxpool_bwd
{
namespace
{

using maxpool::problem;

arguments arguments_of(const problem& p, const tensors& data)
{
    arguments a = {};
    a.out = data.dout, a.indices = data.indices, a.in = data.din;
    pooling::set_problem(a, p);
    return a;
}

// The problem with the indices that the kernel reads: those that the forward pass finds again are as narrow as can be.
problem with_stored_indices(problem p)
{
    if(p.indices == indices::recompute)
        p.indices = p.window_elements() <= 256 ? indices::u8 : indices::int32;
    return p;
}

schedule shares_of(const config& c, const problem& p)
{
    schedule s        = {};
    const int most[2] = {c.patch_height(), c.patch_width()};
    for(std::size_t d = 0; d < 2; ++d)
    {
        const auto at             = static_cast<int>(d);
        const std::int64_t fewest = ceil_div(p.input[d], std::int64_t(most[d]));
        s.patch[at]   = c.any_window() ? static_cast<int>(ceil_div(p.input[d], fewest)) : most[d]; // as equal as can be
        s.patches[at] = static_cast<int>(ceil_div(p.input[d], std::int64_t(s.patch[at])));
        s.reach[at]   = static_cast<int>(c.any_window() ? pooling::windows_over(p, d, s.patch[at]) : 0);
    }
    s.blocks_per_image = ceil_div(std::int64_t(s.patches[0]) * s.patches[1] * (p.channels / c.channels()), c.threads);
    return s;
}

// Memory instructions per element of dX, which only compare; for any window those of LDS too, where sums are cleared, read and written.
double cost(const config& c, const problem& p)
{
    if(c.any_window())
    {
        const schedule s     = shares_of(c, p);
        const double windows = static_cast<double>(s.reach[0]) * s.reach[1], pixels = product(s.patch);
        // With channels first, lanes lie as many pixels apart as a patch is wide, and ask for as many lines.
        const bool first   = c.layout == layout::nchw;
        const double write = first ? 0.5 * s.patch[1] : 1, read = 2 * (first ? std::max(1.0, write / p.stride[1]) : 1);
        return (windows * (read + 2 * c.channels()) + pixels * (write + 2 * c.channels())) / (pixels * c.channels());
    }
    return static_cast<double>(c.patch().accesses(2)) / c.patch().elements();
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const bool recompute = p.indices == indices::recompute;
    return {{.name = "dout", .type = p.type, .shape = pooling::output_shape(p)},
            {.name  = "indices",
             .type  = maxpool::type_of(p.indices),
             .shape = pooling::output_shape(p),
             .role  = recompute ? tensor_role::origin : tensor_role::input},
            {.name  = "in",
             .type  = p.type,
             .shape = pooling::input_shape(p),
             .role  = recompute ? tensor_role::input : tensor_role::origin},
            {.name = "out", .type = p.type, .shape = pooling::output_shape(p), .role = tensor_role::origin},
            {.name  = "din",
             .type  = p.type,
             .shape = pooling::input_shape(p),
             .role  = tensor_role::result,
             .terms = p.window_elements()}};
}

status operation::supports(const config& c, const problem& given)
{
    const problem p = with_stored_indices(given);
    status rules;
    if(c.index != p.indices)
        rules.also(rejection{
            fmt::format("the instance reads {} indices, the problem has {}", name_of(c.index), name_of(p.indices))});
    rules.also(pooling::check_kind(c.layout, c.channels(), p));
    if(!c.any_window())
        rules.also(pooling::check_window(c.patch(), p));
    rules.also(pooling::check_image(p, maxpool::bytes_of(p.indices)));
    return rules ? pooling::check_blocks(shares_of(c, p).blocks_per_image, p.batch) : rules;
}

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const problem& p = chosen.problem;
    chosen.schedule  = shares_of(chosen.chosen->configuration, p);
    chosen.cost      = cost(chosen.chosen->configuration, p);
    if(p.indices != indices::recompute)
        return chosen;

    const problem stored = with_stored_indices(p);
    const auto maxima    = make_plan<maxpool_fwd::operation>(dev, stored);
    if(!maxima)
        return rejection{maxima.reason()};
    chosen.schedule.maxima = *maxima;
    chosen.workspace_bytes =
        static_cast<std::size_t>(pooling::output_shape(stored).elements() * maxpool::bytes_of(stored.indices));
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const schedule& s = planned.schedule;
    arguments a       = arguments_of(planned.problem, data);
    a.patches         = s.patches;
    a.numbers =
        pooling::numbers_of(planned.problem.layout, s.patches, a.channels / planned.chosen->configuration.channels());
    a.blocks    = {{undivided(a.batch), static_cast<int>(s.blocks_per_image)}};
    a.patch     = s.patch;
    a.reach     = s.reach;
    a.strides   = {a.stride[0], a.stride[1]};
    a.row       = planned.chosen->configuration.index == indices::u8 ? a.window[1] : a.input[1];
    a.row_magic = (1u << 16) / static_cast<unsigned>(a.row.divisor) + 1;
    std::vector<launch> all;
    if(s.maxima)
    {
        a.indices = workspace;
        all       = maxpool_fwd::operation::launches(*s.maxima, {data.in, nullptr, workspace}, nullptr);
    }
    all.emplace_back(*planned.chosen->main, planned.problem.batch * s.blocks_per_image, a);
    return all;
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference     = support["reference"];
    const reference_arguments a = {arguments_of(p, data), p.indices, p.layout == maxpool::layout::nhwc};
    return {{reference, ceil_div(pooling::input_shape(p).elements(), reference.threads), a}};
}

status operation::reference_supports(const problem& p)
{
    if(p.indices == indices::recompute)
        return rejection{"the reference kernel reads indices, recompute has none: choose u8, int32 or int64"};
    return {};
}

void operation::derive_inputs(const problem& p, harness::tensor_set& set)
{
    const maxpool::maxima maxima = maxpool::reference_maxima(p, set["in"].values());
    set["out"].set_values(maxima.values);
    set["indices"].elements = maxpool::encode_indices(p, maxima.indices);
}

// The indices of files must be such as kernels can take; where the files have none, they follow from `in`, for the references.
status operation::accept_inputs(const problem& p, harness::tensor_set& set)
{
    if(p.indices == indices::recompute)
    {
        derive_inputs(p, set);
        return {};
    }
    return maxpool::check_indices(p, maxpool::decode_indices(p, set["indices"].elements));
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    return {maxpool::reference_backward(p, set["dout"].values(), maxpool::decode_indices(p, set["indices"].elements))};
}

// The reference kernel reads indices: for recompute, those that the inputs were made with.
operation::problem operation::reference_problem(problem p)
{
    p.type = data_type::fp32;
    if(p.indices == indices::recompute)
        p.indices = indices::int64;
    return p;
}

} // namespace ck_tile::maxpool_bwd
