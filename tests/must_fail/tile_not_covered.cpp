// SPDX-License-Identifier: MIT
// A tile whose distribution leaves elements without an owner.
// expect: tile: the digits of the distribution do not cover the tile exactly once
#include "ck_tile/core/tile.hpp"

using namespace ck_tile;

constexpr int step               = CK_TILE_BROKEN ? 8 : 4; // of the lanes' columns; a lane holds four
constexpr distribution all_lanes = {
    .lengths = {32, 8}, .wave = {}, .lane = {{32, 0, 1}, {2, 1, step}}, .reg = {}, .vec = {{4, 1, 1}}};

tile<float, all_lanes> t;
