// SPDX-License-Identifier: MIT
// A transform placed along another number of upper dimensions than it takes.
// expect: along<lower, upper>: the transform takes another number of upper dimensions
#include "ck_tile/core/tensor_view.hpp"

using namespace ck_tile;

#if CK_TILE_BROKEN
auto windows = along<dims{0}, dims{0}>(embed<2>{{3, 4}, {2, 1}});
#else
auto windows = along<dims{0}, dims{0, 1}>(embed<2>{{3, 4}, {2, 1}});
#endif
