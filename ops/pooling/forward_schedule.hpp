// SPDX-License-Identifier: MIT
// How forward passes share out the output, and what that costs: the host side of ops/pooling/forward.hpp.
#pragma once

#include "ops/pooling/column_shape.hpp"
#include "ops/pooling/forward.hpp"
#include "ops/pooling/problem.hpp"

namespace ck_tile::pooling
{

struct forward_schedule
{
    multi_index<2> patches;               // of an image
    int patch_rows, input_rows, row_step; // as kernels are told
    std::int64_t blocks_per_image;
};

// Makes images of one row, where windows have whole rows of the input: these lie one behind the other, and elements have the same
// numbers.
void join_rows(problem& p);

// The rows for each thread that cost least, `per_element`: instructions for one element of a window once it is read.
forward_schedule shares_of(const column_shape& c, const problem& p, double per_element);
// Instructions for each output, about.
double cost_of(const column_shape& c, const problem& p, const forward_schedule& s, double per_element);

// Sets what kernels are told of it.
void set_schedule(forward_arguments& a, const column_shape& c, const forward_schedule& s);

} // namespace ck_tile::pooling
