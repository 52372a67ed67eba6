// SPDX-License-Identifier: MIT
// A transform placed along another number of lower dimensions than it yields.
// expect: along<lower, upper>: the transform yields another number of lower dimensions
#include "ck_tile/core/tensor_view.hpp"

using namespace ck_tile;

#if CK_TILE_BROKEN
auto placed_merge = along<dims{0}, dims{0}>(merge<2>{{3, 4}});
#else
auto placed_merge = along<dims{0, 1}, dims{0}>(merge<2>{{3, 4}});
#endif
