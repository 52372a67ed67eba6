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

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const gemm_arguments& q = p.product;
        const tensor_view bias{p.bias, q.n, strided<2>{{q.m, q.n}, {0, 1}}}; // the same in each row
        const auto finish = [](float sum, float own) { return largest(sum + own, 0.f); };

        gemm::store_through_lds<product::shape, 8>(in, product::multiply(in, q), packed_view(q.c, q.m, q.n),
                                                   product::origin_of(in), finish, bias);
    }
};

} // namespace tutorial
