// SPDX-License-Identifier: MIT
// The matrix instructions of gfx11: WMMA, and plain multiply-adds for fp32.
#pragma once

#include "ck_tile/targets/amdgcn/fragments.hpp"

namespace ck_tile::detail
{

template <opcode Op, class A, class C>
CK_TILE_FN C matrix_multiply_add(A a, A b, C c)
{
    if constexpr(Op == opcode::wmma_16x16x16_fp16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    else if constexpr(Op == opcode::wmma_16x16x16_bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_of(a), bits_of(b), c);
    else if constexpr(Op == opcode::fma_4x8x1_fp32)
        return __builtin_elementwise_fma(a, b, c);
    else
        return no_such_instruction<Op>(c);
}

// One kind of registers holds everything.
template <int Registers, class File>
CK_TILE_FN void pin_accumulators(File&)
{
}

} // namespace ck_tile::detail
