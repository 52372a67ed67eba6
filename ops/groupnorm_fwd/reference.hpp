// SPDX-License-Identifier: MIT
// Group norm forward: the definition, in fp64 on the CPU. Shares no code with the tile core.
#pragma once

#include "ops/groupnorm/reference_support.hpp"

namespace ck_tile::groupnorm_fwd
{

// The values of the tensors, in the layout's order; an empty gamma is all ones, an empty beta all zeros.
struct reference_inputs
{
    const std::vector<float>&x, &gamma, &beta;
    double epsilon;
};

// The magnitudes say what an error of 2^-24, the unit of fp32, costs that cannot be helped: the mean is as exact as fp32 holds it
// and a sum of distances from it is; and so are inv_std and y, which are made with it.
struct reference_results
{
    groupnorm::reference_result y, mean, inv_std;
};

//   y = (x - mean) * inv_std * gamma + beta,  inv_std = 1 / sqrt(mean of (x - mean)^2 + epsilon), means over a group
// Held to error_bound with the elements of a group. Runs on all cores; the result does not depend on how many
// there are.
reference_results reference(const groupnorm::problem& p, const reference_inputs& in);

} // namespace ck_tile::groupnorm_fwd
