// SPDX-License-Identifier: MIT
// A plan of LDS with a member that a constructor would have to set, which nothing calls.
// expect: lds_at: nothing constructs a plan: make it of members lds_memory<...> alone
#include "ck_tile/targets/block.hpp"

using namespace ck_tile;

struct counter
{
    counter() = default;
#if CK_TILE_BROKEN
    counter(const counter& other) : value(other.value + 1) {}
#endif
    int value;
};
struct plan
{
    lds_memory<lds_tile<float, lds_layout{.rows = 4, .cols = 4}>> rows;
    counter count;
};

void run(const block& b) { (void)b.lds_at<&plan::rows>(); }
