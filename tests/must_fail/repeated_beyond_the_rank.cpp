// SPDX-License-Identifier: MIT
// A dimension that repeats, two behind those of the view.
// expect: repeated: a view of r dimensions has 0 to r as that of the new one
#include "ck_tile/core/window.hpp"

using namespace ck_tile;

constexpr int dim = CK_TILE_BROKEN ? 2 : 1;

auto run(const float* x) { return repeated<dim>(packed_view(x, 64)); }
