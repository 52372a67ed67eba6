// SPDX-License-Identifier: MIT
// The matrix instructions of NVIDIA Hopper: mma.sync of fragments, wgmma of operands in LDS, plain multiply-adds for fp32.
#pragma once

#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/targets/sm90/wgmma.hpp"

namespace ck_tile::detail
{

// Nothing is done with accumulators across this point of the program: products that are under way need them where they are.
template <int Registers, class File>
CK_TILE_FN void pin_accumulators(File& acc)
{
    static_for<Registers>([&](auto r) {
        auto& some = acc.reg[r];
        for(int v = 0; v < int(sizeof some / 4); ++v)
            asm volatile("" : "+f"(some[v]) : : "memory");
    });
}

// c += a * b of one warp. `low` and `high` are the lane's two rows of A, four or two consecutive k of each.
template <opcode Op, class Run, class C>
CK_TILE_FN void matrix_multiply_add(Run low, Run high, Run b, C& c)
{
    using words   = vector<unsigned, sizeof(Run) / 4>;
    const words x = __builtin_bit_cast(words, low), y = __builtin_bit_cast(words, high),
                z = __builtin_bit_cast(words, b);
    if constexpr(Op == opcode::mma_16x8x16_fp16)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(x[0]), "r"(y[0]), "r"(x[1]), "r"(y[1]), "r"(z[0]), "r"(z[1]));
    else if constexpr(Op == opcode::mma_16x8x8_fp16)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(x[0]), "r"(y[0]), "r"(z[0]));
    else if constexpr(Op == opcode::mma_16x8x8_bf16)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(x[0]), "r"(y[0]), "r"(z[0]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(x[0]), "r"(y[0]), "r"(x[1]), "r"(y[1]), "r"(z[0]), "r"(z[1]));
}

// acc += A * B for the thread's wave: each fragment of A with each of B, of the fragments in `Of`, instruction by instruction
// along k.
template <opcode Op, int RowFragments, int ColFragments, int Pack, int Waves, fragment_range Of, class AccFile,
          class AFile, class BFile>
CK_TILE_FN void multiply_files(AccFile* acc, const AFile* a, const BFile* b)
{
    static_for<Pack * Of.rows * Of.cols>([&](auto n) {
        constexpr int i = Of.first_row + n % Of.rows, j = Of.first_col + n / Of.rows % Of.cols,
                      step = n / (Of.rows * Of.cols);
        auto& c            = acc->reg[i + RowFragments * j];
        if constexpr(Op == opcode::fma_4x8x1_fp32)
            c[0] = __builtin_fmaf(a->reg[i][step], b->reg[j][step], c[0]);
        else
        {
            using element     = std::remove_cvref_t<decltype(a->reg[0][0])>;
            constexpr int own = describe(Op).k / 4;
            const auto run    = [&](const auto& whole) {
                vector<element, own> x;
                __builtin_memcpy(&x, reinterpret_cast<const element*>(&whole) + step * own, sizeof x);
                return x;
            };
            matrix_multiply_add<Op>(run(a->reg[2 * i]), run(a->reg[2 * i + 1]), run(b->reg[j]), c);
        }
    });
}

} // namespace ck_tile::detail
