// SPDX-License-Identifier: MIT
// An operand of a main loop that does not move along k.
// expect: run_pipeline: A is no operand
#include "ck_tile/ck_tile.hpp"

using namespace ck_tile;

constexpr gemm::shape shape = {64, 64, 32, 2, 2, opcode::mfma_16x16x16_fp16};

struct zeros
{
    using element                        = fp16;
    static constexpr distribution layout = gemm::tiled_copy(shape, shape.m, majorness::k, 8);

    template <int>
    int step(int by) const
    {
        return by;
    }
#if !CK_TILE_BROKEN
    void move(int) {}
#endif
    friend auto load(const zeros&) { return fill<fp16, layout>(fp16(0)); }
};

void run(const block& in)
{
    auto acc = accumulators<shape>();
    gemm::run_pipeline<shape, gemm::pipeline::single_buffer>(in, acc, zeros{}, zeros{}, 3);
}
