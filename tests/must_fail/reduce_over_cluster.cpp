// SPDX-License-Identifier: MIT
// Reducing a dimension that the workgroups of a cluster share: none of them holds what the others have.
// expect: reduce: one workgroup must hold the whole dimension
#include "ck_tile/verbs/reduce.hpp"

using namespace ck_tile;

constexpr int cluster    = CK_TILE_BROKEN ? 2 : 1;
constexpr distribution d = {.lengths = {8, 2 * cluster},
                            .wave    = {},
                            .lane    = {{8, 0, 1}},
                            .reg     = {{2, 1, 1}},
                            .vec     = {},
                            .cluster = cluster > 1 ? digits{{cluster, 1, 2}} : digits{}};

void run(const block& in, const tile<float, d>& x)
{
    (void)reduce<1>(in, x, [](float a, float b) { return a + b; });
}
