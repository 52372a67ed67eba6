// SPDX-License-Identifier: MIT
// The matrix instructions of AMD GPUs: from a table's row to the builtin.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

// c + a * b, for this lane's part of one instruction.
template <opcode Op, class A, class C>
CK_TILE_FN C matrix_multiply_add(A a, A b, C c)
{
    // bf16 goes in as bits, which every compiler version takes.
    [[maybe_unused]] const auto bits_of = [](const A& x) {
        return __builtin_bit_cast(vector<short, sizeof(A) / sizeof(short)>, x);
    };
#if defined(__GFX11__)
    if constexpr(Op == opcode::wmma_16x16x16_fp16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    else if constexpr(Op == opcode::wmma_16x16x16_bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_of(a), bits_of(b), c);
    else if constexpr(Op == opcode::fma_4x8x1_fp32)
        return __builtin_elementwise_fma(a, b, c);
#else
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
#endif
    else
        static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
}

// Keeps accumulators that would crowd all else out of the VGPRs in AGPRs. Clang takes the form of MFMA that accumulates there
// when a kernel names AGPRs at all; left alone, it copies such accumulators to and fro.
template <int Registers, class File>
CK_TILE_FN void place_accumulators([[maybe_unused]] File& acc)
{
#if !defined(__GFX11__)
    if constexpr(Registers * sizeof(acc.reg[0]) / 4 > 128)
        static_for<Registers>([&](auto r) {
            auto& some = acc.reg[r];
            asm volatile("" : "+a"(some));
        });
#endif
}

// acc += A * B for the thread's wave: each fragment of A with each of B, instruction by instruction along k.
template <opcode Op, int RowFragments, int ColFragments, int Pack, class AccFile, class AFile, class BFile>
CK_TILE_FN void multiply_fragments(AccFile& acc, const AFile& a, const BFile& b)
{
    using element   = std::remove_cvref_t<decltype(a.reg[0][0])>;
    constexpr int n = describe(Op).a.vecs();
    using operand   = vector<element, n>;
    const auto part = [](const auto& whole, int step) {
        operand x;
        __builtin_memcpy(&x, reinterpret_cast<const element*>(&whole) + step * n, sizeof x);
        return x;
    };
    CK_TILE_UNROLL
    for(int step = 0; step < Pack; ++step)
    {
        CK_TILE_UNROLL
        for(int j = 0; j < ColFragments; ++j)
        {
            CK_TILE_UNROLL
            for(int i = 0; i < RowFragments; ++i)
                acc.reg[i + RowFragments * j] =
                    matrix_multiply_add<Op>(part(a.reg[i], step), part(b.reg[j], step), acc.reg[i + RowFragments * j]);
        }
    }
}

} // namespace ck_tile::detail
