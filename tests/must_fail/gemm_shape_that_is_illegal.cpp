// SPDX-License-Identifier: MIT
// A kernel of one's own whose block has 100 rows: one error, the rule with its value and what to do.
// expect: block.m must be a multiple of waves.m * instruction m, but one is 100: enlarge block.m or use fewer waves
// errors: 1
#include "ck_tile/ck_tile.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr gemm::shape shape = {.m           = CK_TILE_BROKEN ? 100 : 128,
                                          .n           = 128,
                                          .k           = 32,
                                          .waves_m     = 2,
                                          .waves_n     = 2,
                                          .instruction = opcode::mfma_32x32x8_fp16};
    static constexpr auto pipeline     = gemm::pipeline::double_buffer;
    static constexpr int threads       = shape.threads();
    static constexpr int lds_bytes     = gemm::lds_bytes(shape, pipeline);

    struct arguments
    {
        const fp16 *a, *b;
        fp16* c;
        int m, n, k;
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        constexpr distribution load_a = gemm::tiled_copy(shape, shape.m, majorness::k, 8);
        constexpr distribution load_b = gemm::tiled_copy(shape, shape.n, majorness::k, 8);
        const auto a = make_window<load_a>(packed_view(p.a, p.m, p.k), multi_index{int(in.at.y) * shape.m, 0});
        const auto b = make_window<load_b>(packed_view(p.b, p.n, p.k), multi_index{int(in.at.x) * shape.n, 0});
        auto c       = accumulators<shape>();
        gemm::run_pipeline<shape, pipeline>(in, c, a, b, ceil_div(p.k, shape.k));
        gemm::store_through_lds<shape, 8>(in, c, packed_view(p.c, p.m, p.n), multi_index{0, 0});
    }
};

CK_TILE_KERNEL(multiplies, program)
