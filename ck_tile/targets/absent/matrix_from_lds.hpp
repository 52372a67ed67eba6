// SPDX-License-Identifier: MIT
// Where no instruction multiplies operands that lie in LDS: they are loaded first.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

CK_TILE_FN int same_in_wave(int x) { return x; }

template <opcode Op, auto ALayout, auto BLayout, int Depth, int Fragments, int RowsApart, class Registers>
CK_TILE_FN void multiply_from_lds(Registers&, const void*, const void*)
{
    static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
}

template <opcode Op, lds_layout ALayout, lds_layout BLayout, int Depth, int Fragments, class Registers>
CK_TILE_FN void multiply_rows_from_lds(Registers&, const void*, int, int, const void*, int)
{
    static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
}

template <opcode Op, auto BLayout, int Depth, int Fragments, class Registers, class A>
CK_TILE_FN void multiply_b_from_lds(Registers&, const A&, const void*)
{
    static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
}

template <int Pending>
CK_TILE_FN void wait_for_products()
{
}

} // namespace ck_tile::detail
