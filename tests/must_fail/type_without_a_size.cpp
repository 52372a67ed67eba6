// SPDX-License-Identifier: MIT
// A data_type that bytes_of() has no case for, as one just added.
// expect: constexpr variable 'bytes' must be initialized by a constant expression
#include "ck_tile/numeric/data_type.hpp"

constexpr int bytes = ck_tile::bytes_of(CK_TILE_BROKEN ? ck_tile::data_type(99) : ck_tile::data_type::int64);
