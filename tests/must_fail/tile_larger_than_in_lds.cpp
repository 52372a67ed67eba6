// SPDX-License-Identifier: MIT
// A tile that is loaded from an origin in LDS, from which on there are not as many columns.
// expect: load: the tile at its origin is larger than the tile in LDS
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr distribution d = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = {{4, 1, 1}}};

void run(float* data)
{
    const lds_tile<float, lds_layout{.rows = 32, .cols = 8}> lds{data};
#if CK_TILE_BROKEN
    (void)load<d, multi_index{0, 8}>(lds);
#else
    (void)load<d, multi_index{0, 4}>(lds);
#endif
}
