// SPDX-License-Identifier: MIT
// Two tiles of as many elements that other threads have.
// expect: map: further tiles must be distributed as the first one, or have what its threads need of them
#include "ck_tile/verbs/map.hpp"

using namespace ck_tile;

constexpr distribution in_lanes = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = {{4, 1, 1}}};
constexpr distribution in_registers = {
    .lengths = {32, 4}, .wave = {}, .lane = {{8, 0, 1}, {4, 1, 1}}, .reg = {{4, 0, 8}}, .vec = {}};
constexpr distribution column = reduced<in_lanes, 1>;

auto sum(const tile<float, in_lanes>& x, const tile<float, CK_TILE_BROKEN ? in_registers : column>& y)
{
    return map([](float a, float b) { return a + b; }, x, y);
}
