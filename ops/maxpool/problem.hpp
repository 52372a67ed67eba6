// SPDX-License-Identifier: MIT
// A 2-D max-pooling as its users state it: sizes, window, layout, types. Shared by the forward and the backward pass.
#pragma once

#include "ops/maxpool/kinds.hpp"
#include "ops/pooling/problem.hpp"

#include <string>

namespace ck_tile::maxpool
{

using pooling::extents;

struct problem : pooling::problem
{
    maxpool::indices indices = maxpool::indices::u8;

    // Bytes of the backward pass: the gradient of the output and the indices (or the input) read once, that of the input
    // written once.
    double backward_floor_bytes() const;
    // Of the forward pass: the input read, the output and the indices written once.
    double forward_floor_bytes() const;
};

// The fields by name: see ops/problem_fields.hpp.
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    pooling::visit_sizes(p, v, true);
    v.choice("indices", p.indices);
    v.choice("dtype", p.type);
    v.choice("layout", p.layout);
}

// Whether the numbers describe a max-pooling at all: windows and sizes as those of any pooling are to be; u8 indices count the
// window's elements. Only then may the other functions be called.
status validate(const problem& p);

// "maxpool nhwc fp16 u8 N256 C64 window 3x3 input 112x112 stride 2x2 ..." for messages and tables.
std::string describe(const problem& p);

} // namespace ck_tile::maxpool
