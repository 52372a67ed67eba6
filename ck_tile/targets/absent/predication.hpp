// SPDX-License-Identifier: MIT
// Where the compiler needs no help with an addition under a condition, and no instruction compares as NaNs are to be.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

CK_TILE_FN float add_if_equal(float sum, float x, int a, int b) { return a == b ? sum + x : sum; }
CK_TILE_FN float larger(float x, float y) { return x < y ? y : x; }
CK_TILE_FN float smaller(float x, float y) { return x > y ? y : x; }
CK_TILE_FN bool take_larger(float& most, float x)
{
    const bool taken = (x > most) | (x != x);
    most             = taken ? x : most;
    return taken;
}

} // namespace ck_tile
