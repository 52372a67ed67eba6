// SPDX-License-Identifier: MIT
// Where no instruction multiplies operands that lie in LDS: they are loaded first.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

inline constexpr bool multiplies_slabs = false;

template <opcode Op, int N, int K, class Registers>
CK_TILE_FN void multiply_slabs(Registers&, const void*, const void*, int, int)
{
}

template <int Pending>
CK_TILE_FN void wait_for_slabs()
{
}

} // namespace ck_tile::detail
