// SPDX-License-Identifier: MIT
// Holds the gradients of groupnorm_bwd against a reference.
#pragma once

#include "examples/groupnorm_bwd/tensors.hpp"
#include "examples/support/compare.hpp"

#include <array>

namespace ck_tile::examples
{

// One comparison for each of tensors::results(), with the reference that `how` says: the fp64 one, or the reference kernel.
std::array<comparison, 3> verify(const device& on, verification how, const groupnorm::problem& p, const tensors& data);

} // namespace ck_tile::examples
