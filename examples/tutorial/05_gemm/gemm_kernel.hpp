// SPDX-License-Identifier: MIT
// A matrix product with a main loop of one's own: C [m, n] = A [m, k] * B [n, k]^T, fp16 with fp32 accumulation.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

// A 64 x 64 tile of C by 2 x 2 waves, 32 of k at a time.
constexpr gemm::shape small_tile_for(architecture arch)
{
    const opcode instruction = arch == architecture::sm90    ? opcode::mma_16x8x16_fp16
                               : arch == architecture::gfx11 ? opcode::wmma_16x16x16_fp16
                                                             : opcode::mfma_16x16x16_fp16;
    return {64, 64, 32, 2, 2, instruction};
}

struct small_gemm_arguments
{
    const fp16 *a, *b;
    fp16* c;
    int m, n, k; // k a multiple of 8
};

template <architecture Arch>
struct small_gemm_program
{
    using arguments                    = small_gemm_arguments;
    static constexpr auto arch         = Arch;
    static constexpr gemm::shape shape = small_tile_for(Arch);
    static constexpr int threads       = shape.threads();

    // How threads load an operand, vectors of 8 along k, and the layout in LDS for that and for what waves take to multiply.
    static constexpr distribution loaded = gemm::tiled_copy(shape, 64, majorness::k, 8);
    static constexpr lds_layout a_layout =
        free_of_conflicts(shape.m, shape.k, sizeof(fp16), loaded, gemm::a_fragments(shape));
    static constexpr lds_layout b_layout =
        free_of_conflicts(shape.n, shape.k, sizeof(fp16), loaded, gemm::b_fragments(shape));

    // What a block has in LDS.
    struct plan
    {
        lds_memory<lds_tile<fp16, a_layout>> a;
        lds_memory<lds_tile<fp16, b_layout>> b;
    };
    static constexpr int lds_bytes = sizeof(plan);

    static grid blocks(const arguments& p)
    {
        return {unsigned(ceil_div(p.n, shape.n)), unsigned(ceil_div(p.m, shape.m))};
    }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const multi_index<2> origin = {int(in.at.y) * shape.m, int(in.at.x) * shape.n};
        auto a                      = make_window<loaded>(packed_view(p.a, p.m, p.k), multi_index{origin[0], 0});
        auto b                      = make_window<loaded>(packed_view(p.b, p.n, p.k), multi_index{origin[1], 0});
        const auto a_in_lds         = in.lds_at<&plan::a>();
        const auto b_in_lds         = in.lds_at<&plan::b>();

        auto c = accumulators<shape>();
        for(int step = 0; step < ceil_div(p.k, shape.k); ++step)
        {
            const auto next_a = load(a);
            const auto next_b = load(b);
            in.sync(); // the products of the step before are made
            store(a_in_lds, next_a);
            store(b_in_lds, next_b);
            in.sync();
            mma<shape>(c, a_in_lds, b_in_lds);
            a.move(a.template step<1>(shape.k));
            b.move(b.template step<1>(shape.k));
        }
        gemm::store_directly<shape>(c, packed_view(p.c, p.m, p.n), origin);
    }
};

} // namespace tutorial
