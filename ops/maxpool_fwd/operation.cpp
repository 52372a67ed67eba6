// SPDX-License-Identifier: MIT
#include "ops/maxpool_fwd/operation.hpp"

#include "ops/maxpool/launch.hpp"
#include "ops/maxpool/reference.hpp"
#include "ops/maxpool_fwd/support_kernels.hpp"
#include "ops/problem_checks.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

arguments arguments_of(const maxpool::problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.indices = data.indices;
    maxpool::set_problem(a, p);
    return a;
}

// The problem with images of one row where windows have whole rows of the input: these lie one behind the other, and elements have the
// same numbers.
maxpool::problem with_joined_rows(maxpool::problem p)
{
    const std::int64_t width = p.input[1], tallest = std::max(p.input[0] + p.left_pad[0] + p.right_pad[0], p.stride[0]);
    if(p.window[1] != width || p.left_pad[1] + p.right_pad[1] != 0 || (p.dilation[0] != 1 && p.window[0] > 1) ||
       (p.dilation[1] != 1 && width > 1) || tallest > largest_number / width)
        return p;
    p.dilation = {1, 1};
    p.stride   = {1, p.stride[0] * width};
    for(maxpool::extents* rows : {&p.input, &p.window})
        *rows = {1, (*rows)[0] * width};
    for(maxpool::extents* pads : {&p.left_pad, &p.right_pad})
        *pads = {0, (*pads)[0] * width};
    return p;
}

// Threads that make `rows` rows of the output.
schedule shares_of(const config& c, const maxpool::problem& p, std::int64_t rows)
{
    schedule s         = {};
    s.patches          = {static_cast<int>(ceil_div(p.output(0), rows)), static_cast<int>(p.output(1))};
    s.patch_rows       = static_cast<int>(rows);
    s.row_step         = static_cast<int>(rows > 1 ? p.stride[0] / p.dilation[0] : 0);
    s.input_rows       = static_cast<int>((rows - 1) * s.row_step + p.window[0]);
    s.blocks_per_image = ceil_div(std::int64_t(s.patches[0]) * s.patches[1] * (p.channels / c.vector), c.patches());
    return s;
}

// Lines of 128 bytes that a wave reads at once: with channels first, those of threads that lie in other rows or planes are others.
double lines_of(const config& c, const maxpool::problem& p)
{
    const double lanes = facts(c.arch).wave / c.lanes, row = std::min(lanes, static_cast<double>(p.output(1)));
    const double bytes = (row * static_cast<double>(p.stride[1]) + c.lanes) * ck_tile::bytes_of(p.type);
    return c.layout == layout::nhwc ? 1 : std::min(lanes * (1 + c.lanes / 64.0), lanes / row * (1 + bytes / 128));
}

// Instructions for each output, about. A line is read in the time of four; an element takes one to convert and three to compare.
double cost(const config& c, const maxpool::problem& p, const schedule& s)
{
    const double outputs = static_cast<double>(p.output(0)) / s.patches[0]; // of a thread
    const double columns = static_cast<double>(ceil_div(p.window[1], std::int64_t(c.lanes))) * c.lanes;
    const double access  = c.layout == layout::nhwc ? 10.0 / c.vector : 5 + 4.0 / c.vector;
    const double element = 4 + std::max(access, 4 * lines_of(c, p) / (c.layout == layout::nhwc ? c.vector : 1));
    const double rows    = static_cast<double>(s.patch_rows * p.window[0]) * c.lanes; // of windows, compared
    // Registers for several rows leave room for fewer waves, which measured on sm90 costs about a third; threads that share a window, more.
    const double waves = (c.rows > 1 ? 1.35 : 1) * (c.lanes > 1 ? 2.5 : 1);
    return ((s.input_rows * columns * element + rows * 4) / outputs + 30.0 * (c.lanes - 1)) * waves;
}

// Those that cost least. Rows of the input are rows of several windows where the dilation divides the stride.
schedule shares_of(const config& c, const maxpool::problem& p)
{
    schedule best = shares_of(c, p, 1);
    if(p.stride[0] % p.dilation[0] == 0)
        for(std::int64_t rows = 2; rows <= std::min<std::int64_t>(c.rows, p.output(0)); ++rows)
            if(const schedule s = shares_of(c, p, rows); cost(c, p, s) < cost(c, p, best))
                best = s;
    return best;
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const bool indexed = p.indices != indices::recompute;
    return {{.name = "in", .type = p.type, .shape = maxpool::input_shape(p)},
            {.name     = "out",
             .type     = p.type,
             .shape    = maxpool::output_shape(p),
             .role     = tensor_role::result,
             .optional = true},
            {.name     = "indices",
             .type     = maxpool::type_of(p.indices),
             .shape    = maxpool::output_shape(p),
             .role     = indexed ? tensor_role::result : tensor_role::absent,
             .optional = true}};
}

status operation::supports(const config& c, const problem& p)
{
    status rules;
    if(p.indices != indices::recompute && c.index != p.indices)
        rules.also(rejection{
            fmt::format("the instance writes {} indices, the problem wants {}", name_of(c.index), name_of(p.indices))});
    rules.also(maxpool::check_kind(c, p)).also(maxpool::check_image(p, maxpool::bytes_of(p.indices)));
    return rules ? maxpool::check_blocks(shares_of(c, with_joined_rows(p)).blocks_per_image, p.batch) : rules;
}

result<plan<operation>> operation::schedule_on(const device&, plan<operation> chosen)
{
    const config& c          = chosen.chosen->configuration;
    const maxpool::problem p = with_joined_rows(chosen.problem);
    chosen.schedule          = shares_of(c, p);
    chosen.cost              = cost(c, p, chosen.schedule);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void*)
{
    const schedule& s = planned.schedule;
    const int blocks  = static_cast<int>(s.blocks_per_image);
    arguments a       = arguments_of(with_joined_rows(planned.problem), data);
    a.blocks          = {{undivided(a.batch), blocks}};
    a.patch_rows = s.patch_rows, a.input_rows = s.input_rows, a.row_step = s.row_step;
    a.patches =
        maxpool::numbers_of(planned.problem.layout, s.patches, a.channels / planned.chosen->configuration.vector);
    if(planned.problem.indices == indices::recompute)
        a.indices = nullptr;
    return {{*planned.chosen->main, planned.problem.batch * blocks, a}};
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference     = support["reference"];
    const reference_arguments a = {arguments_of(p, data), p.layout == maxpool::layout::nhwc};
    return {{reference, ceil_div(maxpool::output_shape(p).elements(), reference.threads), a}};
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
