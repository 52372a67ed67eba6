// SPDX-License-Identifier: MIT
// A map over tiles of which the second has other registers than the first, neither the same nor none along a dimension.
// expect: map: a further tile must have the distribution of the first
#include "ck_tile/verbs/map.hpp"

using namespace ck_tile;

constexpr int n              = CK_TILE_BROKEN ? 8 : 4;
constexpr distribution d     = {.lengths = {8, 4}, .wave = {}, .lane = {{8, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};
constexpr distribution other = {.lengths = {8, n}, .wave = {}, .lane = {{8, 0, 1}}, .reg = {{n, 1, 1}}, .vec = {}};

auto add(const tile<float, d>& x, const tile<float, other>& y)
{
    return map([](float a, float b) { return a + b; }, x, y);
}
