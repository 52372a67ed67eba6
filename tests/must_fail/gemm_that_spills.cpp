// SPDX-License-Identifier: MIT
// A main loop whose accumulators, fragments and operands do not fit the registers of the GPU in compilation.
// expect: accumulators, fragments and operands on their way must fit a lane's registers, but one is 278: use more waves
// flags: -x hip --cuda-device-only -nogpulib -nogpuinc -include cstdlib --offload-arch=gfx1100
#include "ck_tile/ck_tile.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx11;
    static constexpr gemm::shape shape = {CK_TILE_BROKEN ? 256 : 128, CK_TILE_BROKEN ? 64 : 128, 32, 2, 2,
                                          opcode::wmma_16x16x16_fp16};
    static constexpr int threads       = shape.threads();
    static constexpr int lds_bytes     = gemm::lds_bytes(shape, gemm::pipeline::single_buffer);

    struct arguments
    {
        const fp16* a;
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const auto operand = [&]<int Rows>(constant<Rows>) {
            return make_window<gemm::tiled_copy(shape, Rows, majorness::k, 8)>(packed_view(p.a, Rows, 320),
                                                                               multi_index{0, 0});
        };
        auto acc = accumulators<shape>();
        gemm::run_pipeline<shape, gemm::pipeline::single_buffer>(in, acc, operand(constant<shape.m>{}),
                                                                 operand(constant<shape.n>{}), 10);
    }
};

CK_TILE_KERNEL(multiplies, program)
