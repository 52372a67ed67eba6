// SPDX-License-Identifier: MIT
// A linear layer: C [m, n] = relu(A [m, k] * B [n, k]^T + bias [n]), fp16 with fp32 accumulation.
#pragma once

#include "../06_gemm_pipelined/gemm_pipelined_kernel.hpp"

namespace tutorial
{

struct linear_arguments
{
    gemm_arguments product;
    const fp16* bias; // [n]
};

// As gemm_program, but for what becomes of the product.
template <architecture Arch>
struct linear_program : gemm_program<Arch>
{
    using product   = gemm_program<Arch>;
    using arguments = linear_arguments;

    static grid blocks(const arguments& p) { return product::blocks(p.product); }

    struct tiles : product::tiles
    {
        const fp16* bias;

        CK_TILE_FN void store(const multi_index<2>& c, const auto& sums) const
        {
            const gemm_arguments& p = this->p;
            const auto own          = repeated<0>(packed_view(bias, p.n)); // the same in each row
            const auto finish       = [](float sum, float more) { return largest(sum + more, 0.f); };
            gemm::store_result<product::tile, 8>(this->in, sums, packed_view(p.c, p.m, p.n), c, finish, own);
        }
    };

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        gemm::run_tiles<product::shape, product::tile.loop(), product::registers>(
            in, tiles{{in, p.product}, p.bias}, int(in.at.x), product::count(p.product), p.product.compute_units);
    }
};

} // namespace tutorial
