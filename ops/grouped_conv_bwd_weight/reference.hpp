// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight: the definition, in fp64 on the CPU. Shares no code with the tile core.
#pragma once

#include "ops/grouped_conv/problem.hpp"

#include <vector>

namespace ck_tile::grouped_conv_bwd_weight
{

// For every weight, in the layout's order: the gradient in fp64, and the sum of the absolute values of its terms, which
// scales the error bound.
struct reference_gradient
{
    std::vector<double> gradient;
    std::vector<double> magnitude;
};

// dW[g,k,y,x,c] = sum over n,ho,wo of dY[n,ho,wo,g,k] * X[n, ho*s + y*d - p, wo*s + x*d - p, g,c], in any layout and
// number of spatial dimensions; `in` and `out` hold the values of the fp16/bf16/fp32 elements, in the layout's order.
// Runs on all cores; the result does not depend on how many there are.
reference_gradient reference(const conv::problem& p, const std::vector<float>& in, const std::vector<float>& out);

// The error that the type and the length L = N * output pixels of the sum allow for one weight:
//   u_out * max(|gradient|, smallest normal number) + 4 * 2^-24 * (8 + 2 * sqrt(L)) * magnitude,
// the rounding of the result, and that of an fp32 sum on matrix units.
double error_bound(const conv::problem& p, double gradient, double magnitude);

} // namespace ck_tile::grouped_conv_bwd_weight
