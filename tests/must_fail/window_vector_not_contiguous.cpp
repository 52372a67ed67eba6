// SPDX-License-Identifier: MIT
// A window of a tile whose vector registers hold elements that do not lie side by side.
// expect: window: a vector register must be contiguous along one dimension to be moved by one access
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr digits along_row    = {{4, 1, 1}};
constexpr digits two_by_two   = {{2, 1, 1}, {2, 0, 1}};
constexpr distribution right  = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = along_row};
constexpr distribution broken = {
    .lengths = {32, 4}, .wave = {}, .lane = {{16, 0, 2}, {2, 1, 2}}, .reg = {}, .vec = two_by_two};
constexpr distribution written = CK_TILE_BROKEN ? broken : right;

void run(const float* data)
{
    (void)load(make_window<written>(tensor_view{data, 128, packed(multi_index{32, 4})}, multi_index{0, 0}));
}
