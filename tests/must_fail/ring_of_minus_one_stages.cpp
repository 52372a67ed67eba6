// SPDX-License-Identifier: MIT
// A ring in LDS that would have fewer stages than none.
// expect: lds_memory: a ring has at least one stage: give their number, or none for one tile
#include "ck_tile/core/lds_tile.hpp"

using namespace ck_tile;

lds_memory<lds_tile<float, lds_layout{.rows = 4, .cols = 4}>, CK_TILE_BROKEN ? -1 : 2> ring;
