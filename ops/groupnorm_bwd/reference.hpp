// SPDX-License-Identifier: MIT
// Group norm backward: the definition, in fp64 on the CPU. Shares no code with the tile core.
#pragma once

#include "ops/groupnorm/problem.hpp"

#include <vector>

namespace ck_tile::groupnorm_bwd
{

// One gradient: its elements in the layout's order, and for each the sum of the absolute values of its terms, which scales the
// error bound.
struct reference_gradient
{
    std::vector<double> value;
    std::vector<double> magnitude;
};

struct reference_gradients
{
    reference_gradient dx, dgamma, dbeta;
};

// The values of the tensors, in the layout's order; an empty gamma is all ones.
struct reference_inputs
{
    const std::vector<float>&x, &dy, &gamma, &mean, &inv_std;
};

//   dbeta = sum of dy,  dgamma = sum of dy * (x - mean) * inv_std               over images and pixels
//   dx = inv_std * (gamma * dy - m1 - xhat * m2),  with the means m1 of gamma * dy and m2 of gamma * dy * xhat over a group
// Runs on all cores; the result does not depend on how many there are.
reference_gradients reference(const groupnorm::problem& p, const reference_inputs& in);

// The error that the type and the length L of the sums (elements of a group for dx, N * pixels for dgamma and dbeta) allow:
//   u_out * max(|value|, smallest normal number) + 2^-24 * (8 + 2 * sqrt(L)) * magnitude,
// the rounding of the result, and that of fp32 sums.
double error_bound(const groupnorm::problem& p, std::int64_t terms, double value, double magnitude);

} // namespace ck_tile::groupnorm_bwd
