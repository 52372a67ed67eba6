// SPDX-License-Identifier: MIT
// Which work a block of a launch does, on GPUs of several chiplets.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// The number of the work that block `block` of `blocks` does, a permutation of them: neighbouring numbers are on one chiplet, whose L2
// has what they share. Consecutive blocks go round the chiplets.
template <int Chiplets>
CK_TILE_FN constexpr int neighbours_on_one_chiplet(int block, int blocks)
{
    const int own = block % Chiplets, longer = blocks % Chiplets; // chiplets that have a block more
    return own * (blocks / Chiplets) + (own < longer ? own : longer) + block / Chiplets;
}

} // namespace ck_tile
