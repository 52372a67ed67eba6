// SPDX-License-Identifier: MIT
// Waves that combine rows in LDS which has room for columns.
// expect: reduce: several waves share the dimension, and the member of the plan has no room for what each of them combines
#include "ck_tile/verbs/math.hpp"
#include "ck_tile/verbs/reduce.hpp"

using namespace ck_tile;

constexpr distribution d = {
    .lengths = {64, 8}, .wave = {{2, 1, 4}}, .lane = {{64, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};

struct plan
{
    lds_memory<reduce_partials<d, CK_TILE_BROKEN ? 0 : 1>> partials;
};

void run(const block& in, const tile<float, d>& x) { (void)reduce<1>(in, x, plus, in.lds_at<&plan::partials>()); }
