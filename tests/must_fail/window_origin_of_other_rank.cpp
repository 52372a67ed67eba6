// SPDX-License-Identifier: MIT
// A window whose origin has another number of coordinates than the view has dimensions.
// expect: make_window: the origin needs one coordinate per dimension of the view
#include "ck_tile/verbs/load_store.hpp"

using namespace ck_tile;

constexpr distribution d = {.lengths = {32, 4}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};

void run(const float* data)
{
    const tensor_view view{data, 128, packed(multi_index{32, 4})};
#if CK_TILE_BROKEN
    (void)make_window<d>(view, multi_index{0, 0, 0});
#else
    (void)make_window<d>(view, multi_index{0, 0});
#endif
}
