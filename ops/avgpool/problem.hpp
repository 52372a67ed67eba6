// SPDX-License-Identifier: MIT
// A 2-D average pooling as its users state it: sizes, window, what it divides by, layout, type. Shared by the forward and the backward pass.
#pragma once

#include "ops/pooling/problem.hpp"

#include <string>

namespace ck_tile::avgpool
{

using pooling::extents;
using pooling::layout;

// No pooling has dilated windows here: the dilation is 1.
struct problem : pooling::problem
{
    bool count_include_pad = true; // whether a window counts its elements in the padding, which are zero
    float divisor_override = 0;    // what the sums of all windows are divided by; 0: by the elements that count
};

// The fields by name: see ops/problem_fields.hpp.
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    pooling::visit_sizes(p, v, false);
    v.flag("count_include_pad", p.count_include_pad);
    v.real("divisor_override", p.divisor_override);
    v.choice("dtype", p.type);
    v.choice("layout", p.layout);
}

// Whether the numbers describe an average pooling at all: windows and sizes as those of any pooling are to be, no dilation, a divisor
// that is none or positive. Only then may the other functions be called.
status validate(const problem& p);

// The elements [begin, end) of the input and its padding that count in dimension d.
struct range
{
    std::int64_t begin, end;
};
range counted(const problem& p, int d);

// What every window divides by; 0, if they differ.
float divisor_of_all(const problem& p);

// "avgpool nhwc fp16 N256 C64 window 3x3 input 112x112 stride 2x2 ..." for messages and tables.
std::string describe(const problem& p);

} // namespace ck_tile::avgpool
