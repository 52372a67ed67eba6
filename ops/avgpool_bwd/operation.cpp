// SPDX-License-Identifier: MIT
#include "ops/avgpool_bwd/operation.hpp"

#include "ops/avgpool/launch.hpp"
#include "ops/avgpool/reference.hpp"
#include "ops/avgpool_bwd/support_kernels.hpp"

namespace ck_tile::avgpool_bwd
{
namespace
{

using avgpool::problem;

arguments arguments_of(const problem& p, const tensors& data)
{
    arguments a = {};
    a.out = data.dout, a.in = data.din, a.divisor = avgpool::divisor_of(p);
    pooling::set_problem(a, p);
    return a;
}

// Patches of so many rows and columns.
schedule shares_in(const config& c, const problem& p, std::int64_t rows, std::int64_t cols = 1)
{
    schedule s         = {};
    s.patches          = pooling::index_of({ceil_div(p.input[0], rows), ceil_div(p.input[1], cols)});
    s.patch_rows       = static_cast<int>(rows);
    s.reach            = pooling::index_of({pooling::windows_over(p, 0, rows), pooling::windows_over(p, 1, cols)});
    s.blocks_per_image = ceil_div(std::int64_t(s.patches[0]) * s.patches[1] * (p.channels / c.channels()), c.threads);
    return s;
}

// Instructions for each element of dX, about: of a window an access, and two for each element, to convert and to add; of a row of
// windows, two to add it to each row of pixels. With channels first an access is one element. Of a known window nothing is worked out for an
// access, and each element is added to what it reaches.
double cost(const config& c, const problem& p, const schedule& s)
{
    if(!c.any_window())
        return 4.0 * c.patch().accesses(1) / c.patch().elements() +
               static_cast<double>(p.window_elements()) / (c.stride * c.stride);
    const double pixels = static_cast<double>(p.input[0]) / s.patches[0]; // of a thread
    const double access = c.layout == layout::nhwc ? 10 : 4 + 5.0 * c.vector;
    const double rows   = s.reach[0] * (s.reach[1] * (access + 2 * c.vector) + 2.0 * c.rows * c.vector);
    return (rows + pixels * (access + 2 * c.vector)) / (pixels * c.vector);
}

// For any window, the rows for each thread that cost least.
schedule shares_of(const config& c, const problem& p)
{
    if(!c.any_window())
        return shares_in(c, p, c.patch().height(), c.patch().width());
    schedule best = shares_in(c, p, 1);
    for(std::int64_t rows = 2; rows <= std::min<std::int64_t>(c.rows, p.input[0]); ++rows)
        if(const schedule s = shares_in(c, p, rows); cost(c, p, s) < cost(c, p, best))
            best = s;
    return best;
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    return {{.name = "dout", .type = p.type, .shape = pooling::output_shape(p)},
            {.name  = "din",
             .type  = p.type,
             .shape = pooling::input_shape(p),
             .role  = tensor_role::result,
             .terms = p.window_elements()}};
}

status operation::supports(const config& c, const problem& p)
{
    status rules;
    rules.also(pooling::check_kind(c.layout, c.channels(), p));
    if(!c.any_window())
    {
        rules.also(pooling::check_window(c.patch(), p));
        if(avgpool::divisor_of_all(p) == 0)
            rules.also(rejection{
                "the instance divides all windows by the same number, and those of the problem count different numbers "
                "of elements: choose an instance for any window"});
    }
    rules.also(pooling::check_image(p));
    return rules ? pooling::check_blocks(shares_of(c, p).blocks_per_image, p.batch) : rules;
}

result<plan<operation>> operation::schedule_on(const device&, plan<operation> chosen)
{
    const config& c = chosen.chosen->configuration;
    chosen.schedule = shares_of(c, chosen.problem);
    chosen.cost     = cost(c, chosen.problem, chosen.schedule);
    return chosen;
}

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void*)
{
    const schedule& s = planned.schedule;
    const config& c   = planned.chosen->configuration;
    arguments a       = arguments_of(planned.problem, data);
    a.strides         = {a.stride[0], a.stride[1]};
    a.patch_rows      = s.patch_rows;
    a.reach           = s.reach;
    a.patches         = s.patches;
    a.numbers         = pooling::numbers_of(c.layout, s.patches, a.channels / c.channels());
    a.blocks          = {{undivided(a.batch), static_cast<int>(s.blocks_per_image)}};
    return {{*planned.chosen->main, planned.problem.batch * s.blocks_per_image, a}};
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void*)
{
    const kernel& reference     = support["reference"];
    const reference_arguments a = {arguments_of(p, data), p.layout == avgpool::layout::nhwc};
    return {{reference, ceil_div(pooling::input_shape(p).elements(), reference.threads), a}};
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    return {avgpool::reference_backward(p, set["dout"].values())};
}

} // namespace ck_tile::avgpool_bwd
