// SPDX-License-Identifier: MIT
// Group norm backward: the definition, in fp64 on the CPU. Shares no code with the tile core.
#pragma once

#include "ops/groupnorm/reference_support.hpp"

namespace ck_tile::groupnorm_bwd
{

// The values of the tensors, in the layout's order; an empty gamma is all ones.
struct reference_inputs
{
    const std::vector<float>&x, &dy, &gamma, &mean, &inv_std;
};

struct reference_gradients
{
    groupnorm::reference_result dx, dgamma, dbeta;
};

//   dbeta = sum of dy,  dgamma = sum of dy * (x - mean) * inv_std               over images and pixels
//   dx = inv_std * (gamma * dy - m1 - xhat * m2),  with the means m1 of gamma * dy and m2 of gamma * dy * xhat over a group
// Held to error_bound: dx to sums of the elements of a group, dgamma and dbeta to sums of N * pixels. Runs on all
// cores; the result does not depend on how many there are.
reference_gradients reference(const groupnorm::problem& p, const reference_inputs& in);

} // namespace ck_tile::groupnorm_bwd
