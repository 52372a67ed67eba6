// SPDX-License-Identifier: MIT
// A relayout that gives the elements to other waves.
// expect: relayout: each wave must own the same elements in both distributions
#include "ck_tile/verbs/relayout.hpp"

using namespace ck_tile;

constexpr distribution from = {
    .lengths = {64, 8}, .wave = {{2, 0, 32}}, .lane = {{32, 0, 1}}, .reg = {{8, 1, 1}}, .vec = {}};
constexpr distribution same = {
    .lengths = {64, 8}, .wave = {{2, 0, 32}}, .lane = {{8, 1, 1}, {4, 0, 1}}, .reg = {{8, 0, 4}}, .vec = {}};
constexpr distribution other = {
    .lengths = {64, 8}, .wave = {{2, 1, 4}}, .lane = {{32, 0, 1}}, .reg = {{2, 0, 32}, {4, 1, 1}}, .vec = {}};

void run(const tile<float, from>& x, const lds_tile<float, lds_layout{.rows = 64, .cols = 8}>& through)
{
    (void)relayout<CK_TILE_BROKEN ? other : same>(x, through);
}
