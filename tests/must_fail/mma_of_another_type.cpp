// SPDX-License-Identifier: MIT
// Multiplying bf16 fragments with an instruction for fp16.
// expect: mma: the instruction multiplies another type
#include "ck_tile/gemm/mma.hpp"

using namespace ck_tile;

constexpr gemm::shape s = {32, 32, 16, 1, 1, opcode::mfma_32x32x8_fp16};
using element           = std::conditional_t<CK_TILE_BROKEN, bf16, fp16>;

void run(tile<float, gemm::accumulator(s)>& acc, const tile<element, gemm::a_fragments(s)>& a,
         const tile<element, gemm::b_fragments(s)>& b)
{
    mma<s>(acc, a, b);
}
