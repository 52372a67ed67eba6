// SPDX-License-Identifier: MIT
// The matrix instructions of gfx950: MFMA, those of CDNA and deeper ones for fp16 and bf16.
#pragma once

#include "ck_tile/targets/amdgcn/mfma.hpp"

namespace ck_tile::detail
{

template <opcode Op, class A, class C>
CK_TILE_FN C matrix_multiply_add(A a, A b, C c)
{
    using eight_bf16 = bf16 __attribute__((ext_vector_type(8)));
    if constexpr(Op == opcode::mfma_32x32x16_fp16)
        return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_16x16x32_fp16)
        return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_32x32x16_bf16)
        return __builtin_amdgcn_mfma_f32_32x32x16_bf16(__builtin_bit_cast(eight_bf16, a),
                                                       __builtin_bit_cast(eight_bf16, b), c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_16x16x32_bf16)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(eight_bf16, a),
                                                       __builtin_bit_cast(eight_bf16, b), c, 0, 0, 0);
    else
        return mfma<Op>(a, b, c);
}

} // namespace ck_tile::detail
