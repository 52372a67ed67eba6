// SPDX-License-Identifier: MIT
#include "ops/pooling/forward_schedule.hpp"

#include "ops/problem_checks.hpp"

#include <algorithm>

namespace ck_tile::pooling
{
namespace
{

// Threads that make `rows` rows of the output.
forward_schedule shares_in(const column_shape& c, const problem& p, std::int64_t rows)
{
    forward_schedule s = {};
    s.patches          = {static_cast<int>(ceil_div(p.output(0), rows)), static_cast<int>(p.output(1))};
    s.patch_rows       = static_cast<int>(rows);
    s.row_step         = static_cast<int>(rows > 1 ? p.stride[0] / p.dilation[0] : 0);
    s.input_rows       = static_cast<int>((rows - 1) * s.row_step + p.window[0]);
    s.blocks_per_image = ceil_div(std::int64_t(s.patches[0]) * s.patches[1] * (p.channels / c.vector), c.patches());
    return s;
}

// Lines of 128 bytes that a wave reads at once: with channels first, those of threads that lie in other rows or planes are others.
double lines_of(const column_shape& c, const problem& p)
{
    const double lanes = facts(c.arch).wave / c.lanes, row = std::min(lanes, static_cast<double>(p.output(1)));
    const double bytes = (row * static_cast<double>(p.stride[1]) + c.lanes) * bytes_of(p.type);
    return c.layout == layout::nhwc ? 1 : std::min(lanes * (1 + c.lanes / 64.0), lanes / row * (1 + bytes / 128));
}

} // namespace

void join_rows(problem& p)
{
    const std::int64_t width = p.input[1], tallest = std::max(p.input[0] + p.left_pad[0] + p.right_pad[0], p.stride[0]);
    if(p.window[1] != width || p.left_pad[1] + p.right_pad[1] != 0 || (p.dilation[0] != 1 && p.window[0] > 1) ||
       (p.dilation[1] != 1 && width > 1) || tallest > largest_number / width)
        return;
    p.dilation = {1, 1};
    p.stride   = {1, p.stride[0] * width};
    for(extents* rows : {&p.input, &p.window})
        *rows = {1, (*rows)[0] * width};
    for(extents* pads : {&p.left_pad, &p.right_pad})
        *pads = {0, (*pads)[0] * width};
}

// Fitted to what sm90 takes. With channels first, a thread works out for all its channels where an element lies. A line is read in the time of
// one and a half instructions, or four where the lines of a wave's channels do not stay in the cache; an element takes one to convert.
double cost_of(const column_shape& c, const problem& p, const forward_schedule& s, double per_element)
{
    const double outputs = static_cast<double>(p.output(0)) / s.patches[0]; // of a thread
    const double columns = static_cast<double>(ceil_div(p.window[1], std::int64_t(c.lanes))) * c.lanes;
    const double lines   = lines_of(c, p);
    const double access  = c.layout == layout::nhwc
                               ? std::max(10.0, 4 * lines) / c.vector
                               : std::max(4 + 16.0 / c.vector, (lines * c.vector > 64 ? 4 : 1.5) * lines);
    const double element = 1 + per_element + access;
    const double rows    = static_cast<double>(s.patch_rows * p.window[0]) * c.lanes; // of windows, counted together
    // Registers for several rows leave room for fewer waves, which costs about a third; threads that share a window, more.
    const double waves = (c.rows > 2 ? 1.35 : c.rows == 2 ? 1.08 : 1) * (c.lanes > 1 ? 2.5 : 1);
    return ((s.input_rows * columns * element + rows * (1 + per_element)) / outputs + 30.0 * (c.lanes - 1)) * waves;
}

// Rows of the input are rows of several windows where the dilation divides the stride.
forward_schedule shares_of(const column_shape& c, const problem& p, double per_element)
{
    forward_schedule best = shares_in(c, p, 1);
    if(p.stride[0] % p.dilation[0] == 0)
        for(std::int64_t rows = 2; rows <= std::min<std::int64_t>(c.rows, p.output(0)); ++rows)
            if(const forward_schedule s = shares_in(c, p, rows);
               cost_of(c, p, s, per_element) < cost_of(c, p, best, per_element))
                best = s;
    return best;
}

void set_schedule(forward_arguments& a, const column_shape& c, const forward_schedule& s)
{
    a.blocks     = {{undivided(a.batch), static_cast<int>(s.blocks_per_image)}};
    a.patch_rows = s.patch_rows, a.input_rows = s.input_rows, a.row_step = s.row_step;
    a.patches = numbers_of(c.layout, s.patches, a.channels / c.vector);
}

} // namespace ck_tile::pooling
