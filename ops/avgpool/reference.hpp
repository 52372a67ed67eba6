// SPDX-License-Identifier: MIT
// Average pooling by its definition, on the CPU, both ways, in fp64. Shares no code with the tile core.
#pragma once

#include "ops/avgpool/problem.hpp"
#include "ops/reference.hpp"

#include <vector>

namespace ck_tile::avgpool
{

// Y: of each window the sum of the elements of `in` that it has, in the layout's order, divided by how many of its elements count.
reference_values reference_forward(const problem& p, const std::vector<float>& in);

// dX: of each element the sum of dY, divided as above, of the windows that have it.
reference_values reference_backward(const problem& p, const std::vector<float>& out);

} // namespace ck_tile::avgpool
