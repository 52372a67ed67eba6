// SPDX-License-Identifier: MIT
// A matrix product as a program of one block: C [m, n] = A [m, k] * B [n, k]^T, fp16 with fp32 accumulation.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

// A 128 x 128 tile of C by 2 x 2 waves, 32 of k at a time.
struct gemm_program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr gemm::shape shape = {
        .m = 128, .n = 128, .k = 32, .waves_m = 2, .waves_n = 2, .instruction = opcode::mfma_32x32x8_fp16};
    static constexpr auto pipeline = gemm::pipeline::double_buffer;
    static constexpr int threads   = shape.threads();
    static constexpr int lds_bytes = gemm::lds_bytes(shape, pipeline);

    struct arguments
    {
        const fp16 *a, *b;
        fp16* c;
        int m, n, k; // n and k multiples of 8
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        constexpr gemm::transfer load_a = gemm::make_transfer(shape, shape.m, 1, 8); // k lies densely in memory:
        constexpr gemm::transfer load_b = gemm::make_transfer(shape, shape.n, 1, 8); // vectors of 8 along k

        const multi_index<2> tile = {int(in.at.y) * shape.m, int(in.at.x) * shape.n};
        const auto a              = make_window<load_a.memory>(packed_view(p.a, p.m, p.k), multi_index{tile[0], 0});
        const auto b              = make_window<load_b.memory>(packed_view(p.b, p.n, p.k), multi_index{tile[1], 0});

        auto c = accumulators<shape>();
        gemm::run_pipeline<shape, pipeline, load_a.lds, load_b.lds>(in, c, a, b, ceil_div(p.k, shape.k));
        gemm::store_through_lds<shape, 8>(in, c, packed_view(p.c, p.m, p.n), tile);
    }
};

} // namespace tutorial
