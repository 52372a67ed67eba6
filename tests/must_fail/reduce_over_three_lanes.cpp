// SPDX-License-Identifier: MIT
// Reducing along lanes whose number is no power of two, which a butterfly cannot do.
// expect: reduce: lanes along the dimension must be a power of two
#include "ck_tile/verbs/reduce.hpp"

using namespace ck_tile;

constexpr int n          = CK_TILE_BROKEN ? 3 : 4;
constexpr distribution d = {.lengths = {8, n}, .wave = {}, .lane = {{8, 0, 1}, {n, 1, 1}}, .reg = {}, .vec = {}};

void run(const block& in, const tile<float, d>& x)
{
    (void)reduce<1>(in, x, [](float a, float b) { return a + b; });
}
