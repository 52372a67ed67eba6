// SPDX-License-Identifier: MIT
// Reducing a dimension that several units share: none of them holds what the others have.
// expect: reduce: one unit must hold the whole dimension
#include "ck_tile/verbs/reduce.hpp"

using namespace ck_tile;

constexpr int units      = CK_TILE_BROKEN ? 2 : 1;
constexpr distribution d = {.lengths = {8, 2 * units},
                            .wave    = {},
                            .lane    = {{8, 0, 1}},
                            .reg     = {{2, 1, 1}},
                            .vec     = {},
                            .unit    = units > 1 ? digits{{units, 1, 2}} : digits{}};

void run(const block& in, const tile<float, d>& x)
{
    (void)reduce<1>(in, x, [](float a, float b) { return a + b; });
}
