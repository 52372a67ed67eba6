// SPDX-License-Identifier: MIT
// How an instance cuts a problem into slabs, and what that costs: for forward and backward.
#pragma once

#include "ops/groupnorm/problem.hpp"
#include "ops/groupnorm/slab.hpp"

namespace ck_tile::groupnorm
{

// Slabs, and what the busiest compute unit has to do for them: bytes that it moves, and a fixed amount per launch.
struct cut
{
    geometry slabs;
    double cost;
};

// Cuts the problem for instances of this configuration, on a device of so many compute units, so that the cost is least; or
// says why they cannot compute it. The pass moves so many tensors of the size of x; a slab of a streaming pass may have several
// tiles, one after another, or only one.
result<cut> cut_into_slabs(const config& c, const problem& p, int compute_units, int tensors,
                           bool several_tiles = true);

} // namespace ck_tile::groupnorm
