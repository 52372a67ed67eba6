// SPDX-License-Identifier: MIT
// The matrix instructions that all CDNA GPUs have, from a table's row to the builtin, and the registers for their results.
#pragma once

#include "ck_tile/targets/amdgcn/fragments.hpp"

namespace ck_tile::detail
{

template <opcode Op, class A, class C>
CK_TILE_FN C mfma(A a, A b, C c)
{
    if constexpr(Op == opcode::mfma_32x32x8_fp16)
        return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_16x16x16_fp16)
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_4x4x4_16_blocks_fp16)
        return __builtin_amdgcn_mfma_f32_4x4x4f16(a, b, c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_32x32x8_bf16)
        return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(bits_of(a), bits_of(b), c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_16x16x16_bf16)
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bits_of(a), bits_of(b), c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_4x4x4_16_blocks_bf16)
        return __builtin_amdgcn_mfma_f32_4x4x4bf16_1k(bits_of(a), bits_of(b), c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_32x32x2_fp32)
        return __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], b[0], c, 0, 0, 0);
    else if constexpr(Op == opcode::mfma_16x16x4_fp32)
        return __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], b[0], c, 0, 0, 0);
    else
        return no_such_instruction<Op>(c);
}

// Keeps accumulators that would crowd all else out of the VGPRs in AGPRs. Clang takes the form of MFMA that accumulates there
// when a kernel names AGPRs at all; left alone, it copies such accumulators to and fro.
template <int Registers, class File>
CK_TILE_FN void pin_accumulators([[maybe_unused]] File& acc)
{
    if constexpr(Registers * sizeof(acc.reg[0]) / 4 > 128)
        static_for<Registers>([&](auto r) {
            auto& some = acc.reg[r];
            asm volatile("" : "+a"(some));
        });
}

} // namespace ck_tile::detail
