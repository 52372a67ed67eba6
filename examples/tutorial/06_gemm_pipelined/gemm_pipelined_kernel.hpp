// SPDX-License-Identifier: MIT
// A matrix product as a program of one block: C [m, n] = A [m, k] * B [n, k]^T, fp16 with fp32 accumulation.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

// A 128 x 128 tile of C by 2 x 2 waves, 32 of k at a time; on sm90, 64 at a time by 8 waves.
constexpr gemm::tile_config tile_for(architecture arch)
{
    using enum gemm::pipeline;
    switch(arch)
    {
    case architecture::gfx90a:
    case architecture::gfx942: return {{128, 128, 32}, {2, 2}, opcode::mfma_32x32x8_fp16, double_buffer, 2};
    case architecture::gfx950: return {{128, 128, 32}, {2, 2}, opcode::mfma_32x32x16_fp16, double_buffer, 2};
    case architecture::gfx11: return {{128, 128, 32}, {2, 2}, opcode::wmma_16x16x16_fp16, single_buffer, 1};
    case architecture::sm90: return {{128, 128, 64}, {8, 1}, opcode::wgmma_64x128x16_fp16, async_stages, 4};
    }
}

struct gemm_arguments
{
    const fp16 *a, *b;
    fp16* c;
    int m, n, k; // n and k multiples of 8
};

template <architecture Arch>
struct gemm_program
{
    using arguments                               = gemm_arguments;
    static constexpr architecture arch            = Arch;
    static constexpr gemm::tile_config tile       = tile_for(Arch);
    static constexpr gemm::operand_memory dense_k = {.major = majorness::k, .vector = 8}; // 8 of k at once
    CK_TILE_REJECT(gemm::check(tile, facts(arch), {.a = dense_k, .b = dense_k, .result = 8}));

    static constexpr gemm::shape shape = tile.shape();
    static constexpr int threads       = tile.threads();
    static constexpr int lds_bytes     = tile.lds_bytes();

    static grid blocks(const arguments& p)
    {
        return {unsigned(ceil_div(p.n, shape.n)), unsigned(ceil_div(p.m, shape.m))};
    }

    static CK_TILE_FN multi_index<2> origin_of(const block& in)
    {
        return {int(in.at.y) * shape.m, int(in.at.x) * shape.n};
    }

    static CK_TILE_FN auto multiply(const block& in, const arguments& p)
    {
        constexpr distribution load_a = gemm::tiled_copy(shape, shape.m, dense_k.major, dense_k.vector);
        constexpr distribution load_b = gemm::tiled_copy(shape, shape.n, dense_k.major, dense_k.vector);

        const multi_index<2> origin = origin_of(in);
        const auto a                = make_window<load_a>(packed_view(p.a, p.m, p.k), multi_index{origin[0], 0});
        const auto b                = make_window<load_b>(packed_view(p.b, p.n, p.k), multi_index{origin[1], 0});

        auto c = accumulators<shape>();
        gemm::run_pipeline<shape, tile.loop()>(in, c, a, b, ceil_div(p.k, shape.k));
        return c;
    }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        gemm::store_through_lds<shape, 8>(in, multiply(in, p), packed_view(p.c, p.m, p.n), origin_of(in));
    }
};

} // namespace tutorial
