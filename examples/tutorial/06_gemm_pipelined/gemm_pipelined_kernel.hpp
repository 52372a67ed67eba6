// SPDX-License-Identifier: MIT
// A matrix product as a program of one block: C [m, n] = A [m, k] * B [n, k]^T, fp16 with fp32 accumulation.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

// A 128 x 128 tile of C by 2 x 2 waves, 32 of k at a time; on sm90 128 x 256 by 8 waves, for which 4 others copy 64 of k at a time.
constexpr gemm::tile_config tile_for(architecture arch)
{
    using enum gemm::pipeline;
    switch(arch)
    {
    case architecture::gfx90a:
    case architecture::gfx942: return {{128, 128, 32}, {2, 2}, opcode::mfma_32x32x8_fp16, double_buffer, 2};
    case architecture::gfx950: return {{128, 128, 32}, {2, 2}, opcode::mfma_32x32x16_fp16, double_buffer, 2};
    case architecture::gfx11: return {{128, 128, 32}, {2, 2}, opcode::wmma_16x16x16_fp16, single_buffer, 1};
    case architecture::sm90:
        return {{128, 256, 64}, {8, 1}, opcode::wgmma_64x256x16_fp16, wave_specialized, 4, gemm::epilogue::by_wave};
    }
}

struct gemm_arguments
{
    const fp16 *a, *b;
    fp16* c;
    int m, n, k;       // n and k multiples of 8
    int compute_units; // of the device
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
    static constexpr int registers     = tile.registers(facts(arch));

    static constexpr CK_TILE_FN int rows_of_tiles(const arguments& p) { return ceil_div(p.m, shape.m); }
    static constexpr CK_TILE_FN int cols_of_tiles(const arguments& p) { return ceil_div(p.n, shape.n); }
    static constexpr CK_TILE_FN int count(const arguments& p) { return rows_of_tiles(p) * cols_of_tiles(p); }

    // One for each tile, or as many as run at once, which go on to other tiles.
    static grid blocks(const arguments& p)
    {
        return {unsigned(gemm::is_persistent(tile.pipeline) ? smallest(count(p), p.compute_units) : count(p))};
    }

    struct tiles
    {
        const block& in;
        const gemm_arguments& p;
        using coord = multi_index<2>; // of its first element in C

        CK_TILE_FN coord at(int number) const
        {
            return {number / cols_of_tiles(p) * shape.m, number % cols_of_tiles(p) * shape.n};
        }
        CK_TILE_FN int steps(const coord&) const { return ceil_div(p.k, shape.k); }
        CK_TILE_FN auto a(const coord& c) const
        {
            constexpr distribution load_a = gemm::tiled_copy(tile, shape.m, dense_k.major, dense_k.vector);
            return make_window<load_a>(packed_view(p.a, p.m, p.k), multi_index{c[0], 0});
        }
        CK_TILE_FN auto b(const coord& c) const
        {
            constexpr distribution load_b = gemm::tiled_copy(tile, shape.n, dense_k.major, dense_k.vector);
            return make_window<load_b>(packed_view(p.b, p.n, p.k), multi_index{c[1], 0});
        }
        CK_TILE_FN void store(const coord& c, const auto& product) const
        {
            gemm::store_result<tile, 8>(in, product, packed_view(p.c, p.m, p.n), c);
        }
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        gemm::run_tiles<shape, tile.loop(), registers>(in, tiles{in, p}, int(in.at.x), count(p), p.compute_units);
    }
};

} // namespace tutorial
