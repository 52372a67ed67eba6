// SPDX-License-Identifier: MIT
// The matrix instructions of a CDNA GPU that has those of all, and no others.
#pragma once

#include "ck_tile/targets/amdgcn/mfma.hpp"

namespace ck_tile::detail
{

template <opcode Op, class A, class C>
CK_TILE_FN C matrix_multiply_add(A a, A b, C c)
{
    return mfma<Op>(a, b, c);
}

} // namespace ck_tile::detail
