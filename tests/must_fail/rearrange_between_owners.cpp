// SPDX-License-Identifier: MIT
// Rearranging a tile into a distribution that gives the elements to other lanes.
// expect: rearrange: each thread must own the same elements in both distributions
#include "ck_tile/core/window.hpp"
#include "ck_tile/verbs/map.hpp"

using namespace ck_tile;

constexpr distribution from = {
    .lengths = {32, 8}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{2, 1, 4}}, .vec = {{4, 1, 1}}};
constexpr distribution same  = {.lengths = {32, 8}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{8, 1, 1}}, .vec = {}};
constexpr distribution other = {
    .lengths = {32, 8}, .wave = {}, .lane = {{8, 1, 1}, {4, 0, 1}}, .reg = {{8, 0, 4}}, .vec = {}};

void run(tile<float, from>& x) { (void)rearrange<CK_TILE_BROKEN ? other : same>(x); }
