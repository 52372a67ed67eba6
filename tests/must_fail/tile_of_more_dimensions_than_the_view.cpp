// SPDX-License-Identifier: MIT
// A tile that has a third dimension, which the view does not have.
// expect: window: the tile has more dimensions than the view
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

#if CK_TILE_BROKEN
constexpr distribution d = {
    .lengths = {32, 4, 2}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{4, 1, 1}, {2, 2, 1}}, .vec = {}};
#else
constexpr distribution d = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};
#endif

void run(const float* data)
{
    const tensor_view view{data, 128, packed(multi_index{32, 4})};
    (void)load(make_window<d>(view, multi_index{0, 0}));
}
