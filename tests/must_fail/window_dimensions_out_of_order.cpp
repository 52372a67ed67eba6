// SPDX-License-Identifier: MIT
// A window over a view whose top layer lists its transforms in another order than its dimensions.
// expect: window: list the transforms of the top layer in the order of the dimensions that they take
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr distribution d = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};

void run(const float* data)
{
    const auto memory = packed(multi_index{32, 4});
    const auto rows   = along<dims{0}, dims{0}>(pass_through{32});
    const auto cols   = along<dims{1}, dims{1}>(pass_through{4});
#if CK_TILE_BROKEN
    (void)load(make_window<d>(tensor_view{data, 128, transform(memory, cols, rows)}, multi_index{0, 0}));
#else
    (void)load(make_window<d>(tensor_view{data, 128, transform(memory, rows, cols)}, multi_index{0, 0}));
#endif
}
