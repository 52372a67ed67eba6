// SPDX-License-Identifier: MIT
// Storing a tile where its rows are one in memory: which of them would it be?
// expect: store: many elements of the tile would go to one of a view that repeats
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr distribution d = {.lengths = {4, 64}, .wave = {}, .lane = {{64, 1, 1}}, .reg = {{4, 0, 1}}, .vec = {}};

void run(float* y, const tile<float, d>& x)
{
#if CK_TILE_BROKEN
    store(make_window<d>(repeated<0>(packed_view(y, 64)), multi_index{0, 0}), x);
#else
    store(make_window<d>(packed_view(y, 4, 64), multi_index{0, 0}), x);
#endif
}
