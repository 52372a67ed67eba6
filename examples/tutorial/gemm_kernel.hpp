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
    static constexpr architecture arch            = architecture::gfx942;
    static constexpr gemm::tile_config tile       = {.block       = {.m = 128, .n = 128, .k = 32},
                                                     .waves       = {.m = 2, .n = 2},
                                                     .instruction = opcode::mfma_32x32x8_fp16,
                                                     .pipeline    = gemm::pipeline::double_buffer,
                                                     .stages      = 2};
    static constexpr gemm::operand_memory dense_k = {.major = majorness::k, .vector = 8}; // 8 of k at once
    CK_TILE_REJECT(gemm::check(tile, facts(arch), {.a = dense_k, .b = dense_k, .result = 8}));

    static constexpr gemm::shape shape = tile.shape();
    static constexpr int threads       = tile.threads();
    static constexpr int lds_bytes     = tile.lds_bytes();

    struct arguments
    {
        const fp16 *a, *b;
        fp16* c;
        int m, n, k; // n and k multiples of 8
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        constexpr distribution load_a = gemm::tiled_copy(shape, shape.m, dense_k.major, dense_k.vector);
        constexpr distribution load_b = gemm::tiled_copy(shape, shape.n, dense_k.major, dense_k.vector);

        const multi_index<2> origin = {int(in.at.y) * shape.m, int(in.at.x) * shape.n};
        const auto a                = make_window<load_a>(packed_view(p.a, p.m, p.k), multi_index{origin[0], 0});
        const auto b                = make_window<load_b>(packed_view(p.b, p.n, p.k), multi_index{origin[1], 0});

        auto c = accumulators<shape>();
        gemm::run_pipeline<shape, tile.loop()>(in, c, a, b, ceil_div(p.k, shape.k));
        gemm::store_through_lds<shape, 8>(in, c, packed_view(p.c, p.m, p.n), origin);
    }
};

} // namespace tutorial
