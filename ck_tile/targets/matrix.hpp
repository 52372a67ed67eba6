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

// Whether a group of waves can multiply operands that lie in slabs of LDS. multiply_slabs<Op, N, K>(accumulators, the 64 rows
// of A, the rows of B, lines of a slab of A, of B) starts that, wait_for_slabs() waits for all but the last ones started.
#if defined(__NVPTX__)
inline constexpr bool multiplies_slabs = true;

template <opcode Op, int N, int K, class Registers>
CK_TILE_FN void multiply_slabs(Registers& acc, const void* a, const void* b, int a_lines, int b_lines)
{
    wgmma_begin();
    CK_TILE_UNROLL
    for(int column = 0; column < K; column += describe(Op).k)
        wgmma<Op, N>(acc, wgmma_descriptor(a, a_lines, column), wgmma_descriptor(b, b_lines, column));
    wgmma_commit();
}

template <int Pending>
CK_TILE_FN void wait_for_slabs()
{
    wgmma_wait<Pending>();
}
#else
inline constexpr bool multiplies_slabs = false;

template <opcode Op, int N, int K, class Registers>
CK_TILE_FN void multiply_slabs(Registers&, const void*, const void*, int, int)
{
}

template <int Pending>
CK_TILE_FN void wait_for_slabs()
{
}
#endif

} // namespace ck_tile::detail
