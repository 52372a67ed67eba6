// SPDX-License-Identifier: MIT
// A subtile whose elements other lanes own than those of the whole.
// expect: subtile: each thread must own the subtile's elements in the whole too
#include "ck_tile/verbs/subtile.hpp"

using namespace ck_tile;

constexpr distribution rows    = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = {{4, 1, 1}}};
constexpr distribution column  = {.lengths = {32}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = {}};
constexpr distribution columns = {.lengths = {8, 4}, .wave = {}, .lane = {{8, 0, 1}, {4, 1, 1}}, .reg = {}, .vec = {}};

auto first(const tile<float, rows>& x) { return subtile<CK_TILE_BROKEN ? columns : column, multi_index{0, 0, 0}>(x); }
