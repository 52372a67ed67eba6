// SPDX-License-Identifier: MIT
// A C++ type that is no element type: it must not pass for another one.
// expect: constraints not satisfied for variable template 'type_of' [with T = number]
#include "ck_tile/numeric/types.hpp"

using number = std::conditional_t<CK_TILE_BROKEN, double, float>;

static_assert(ck_tile::type_of<number> == ck_tile::data_type::fp32);
