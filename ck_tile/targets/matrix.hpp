// SPDX-License-Identifier: MIT
// What the verb mma asks of a target, beside the table of instructions.
#pragma once

#if defined(__AMDGCN__)
#include "ck_tile/targets/amdgcn/matrix.hpp"
#elif defined(__NVPTX__)
#include "ck_tile/targets/sm90/matrix.hpp"
#include "ck_tile/targets/sm90/wgmma.hpp"
#else
#include "ck_tile/targets/host/matrix.hpp"
#endif

namespace ck_tile::detail
{

// acc += A * B of fragments by all waves of the block: register files of one thread on a GPU, of all threads on the CPU.
template <opcode Op, int RowFragments, int ColFragments, int Pack, int Waves, class Acc, class A, class B>
CK_TILE_FN void multiply_files(Acc* acc, const A* a, const B* b)
{
#if CK_TILE_ON_DEVICE
    multiply_fragments<Op, RowFragments, ColFragments, Pack>(*acc, *a, *b);
#else
    constexpr int lanes = describe(Op).a.lanes();
    for(int wave = 0; wave < Waves; ++wave)
        multiply_wave<Op, RowFragments, ColFragments, Pack>(acc + wave * lanes, a + wave * lanes, b + wave * lanes);
#endif
}

// What instructions that take operands from LDS need: multiply_from_lds<Op, ALayout, BLayout>(accumulators, first row of A, of B)
// starts the product of all of k, wait_for_products() waits for all but the last ones started.
#if !defined(__NVPTX__)
template <opcode Op, auto ALayout, auto BLayout, class Registers>
CK_TILE_FN void multiply_from_lds(Registers&, const void*, const void*)
{
    static_assert(Op != Op, "mma: this architecture does not have the instruction; facts(arch).has(op) says which");
}

template <int Pending>
CK_TILE_FN void wait_for_products()
{
}
#endif

} // namespace ck_tile::detail
