// SPDX-License-Identifier: MIT
// Products of fragments on AMD's GPUs, instruction by instruction. An architecture's matrix.hpp defines matrix_multiply_add.
#pragma once

#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/absent/matrix_from_lds.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

// c + a * b, for this lane's part of one instruction.
template <opcode Op, class A, class C>
CK_TILE_FN C matrix_multiply_add(A a, A b, C c);

template <opcode Op, class C>
CK_TILE_FN C no_such_instruction(C c)
{
    static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
    return c;
}

// bf16 goes into instructions as bits, which every compiler version takes.
template <class A>
CK_TILE_FN auto bits_of(const A& x)
{
    return __builtin_bit_cast(vector<short, sizeof(A) / sizeof(short)>, x);
}

// acc += A * B for the thread's wave: each fragment of A with each of B, of the fragments in `Of`, instruction by instruction
// along k.
template <opcode Op, int RowFragments, int ColFragments, int Pack, int Waves, fragment_range Of, class AccFile,
          class AFile, class BFile>
CK_TILE_FN void multiply_files(AccFile* acc, const AFile* a, const BFile* b)
{
    using element    = std::remove_cvref_t<decltype(a->reg[0][0])>;
    constexpr int n  = describe(Op).a.vecs();
    using operand    = vector<element, n>;
    const auto share = [](const auto& whole, int step) {
        operand x;
        __builtin_memcpy(&x, reinterpret_cast<const element*>(&whole) + step * n, sizeof x);
        return x;
    };
    CK_TILE_UNROLL
    for(int step = 0; step < Pack; ++step)
    {
        CK_TILE_UNROLL
        for(int j = Of.first_col; j < Of.first_col + Of.cols; ++j)
        {
            CK_TILE_UNROLL
            for(int i = Of.first_row; i < Of.first_row + Of.rows; ++i)
            {
                auto& c = acc->reg[i + RowFragments * j];
                c       = matrix_multiply_add<Op>(share(a->reg[i], step), share(b->reg[j], step), c);
            }
        }
    }
}

} // namespace ck_tile::detail
