// SPDX-License-Identifier: MIT
// A ring of what is no tile.
// expect: lds_memory: rings are of tiles
#include "ck_tile/targets/block.hpp"

using namespace ck_tile;

struct partials
{
    static constexpr int bytes = 64;
};
struct plan
{
    lds_memory<partials, CK_TILE_BROKEN ? 2 : 0> several;
};

void run(const block& in) { (void)in.lds_at<&plan::several>(); }
