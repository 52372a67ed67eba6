// SPDX-License-Identifier: MIT
// A layer of transforms that forgets a dimension of the map below it.
// expect: transform: the transforms must together yield each dimension of the map below once
#include "ck_tile/core/tensor_view.hpp"

using namespace ck_tile;

constexpr auto rows = along<dims{0}, dims{0}>(pad{3, 1, 1});
constexpr auto cols = along<dims{1}, dims{1}>(pass_through{4});
#if CK_TILE_BROKEN
auto padded = transform(packed(multi_index{3, 4}), rows);
#else
auto padded = transform(packed(multi_index{3, 4}), rows, cols);
#endif
