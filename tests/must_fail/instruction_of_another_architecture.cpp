// SPDX-License-Identifier: MIT
// A matrix instruction that the architecture in compilation does not have.
// expect: the architecture must have the matrix instruction, but one is wmma_16x16x16_fp16: choose one of its own
// flags: -x hip --cuda-device-only -nogpulib -nogpuinc -include cstdlib --offload-arch=gfx942
#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr int threads       = 64;
    static constexpr int lds_bytes     = 0;
    static constexpr gemm::shape shape = {
        16, 16, 32, 1, 1, CK_TILE_BROKEN ? opcode::wmma_16x16x16_fp16 : opcode::mfma_16x16x16_fp16};
    struct arguments
    {
        fp16 a, b;
    };
    static CK_TILE_FN void run(const block&, const arguments& given)
    {
        auto acc = accumulators<shape>();
        mma<shape>(acc, fill<fp16, gemm::a_fragments(shape)>(given.a), fill<fp16, gemm::b_fragments(shape)>(given.b));
    }
};

CK_TILE_KERNEL(multiplies, program)
