// SPDX-License-Identifier: MIT
// A window over a view that merges below its top layer, where parts of a sum cannot be kept apart.
// expect: window: below the top layer, which takes one dimension per transform, all transforms must be affine
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr distribution d = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};

void run(const float* data)
{
    const auto merged = transform(packed(multi_index{8, 4, 6}), along<dims{0, 1}, dims{0}>(merge<2>{{8, 4}}),
                                  along<dims{2}, dims{1}>(pass_through{6}));
    const auto windows =
        transform(merged, along<dims{0}, dims{0, 1}>(embed<2>{{28, 4}, {1, 1}}), along<dims{1}, dims{}>(freeze{0}));
#if CK_TILE_BROKEN
    (void)load(make_window<d>(tensor_view{data, 192, windows}, multi_index{0, 0}));
#else
    (void)load(make_window<d>(tensor_view{data, 192, merged}, multi_index{0, 0}));
#endif
}
