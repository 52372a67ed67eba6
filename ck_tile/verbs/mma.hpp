// SPDX-License-Identifier: MIT
// The verb mma: acc += A * B by the waves of a block, each with its own fragments.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

#if defined(__AMDGCN__)
#include "ck_tile/targets/amdgcn/matrix.hpp"
#elif defined(__NVPTX__)
#include "ck_tile/targets/sm90/matrix.hpp"
#include "ck_tile/targets/sm90/wgmma.hpp"
#else
#include "ck_tile/targets/host/matrix.hpp"
#endif

namespace ck_tile
{

// Keeps accumulators in the registers that suit the instruction, at this point of the program.
template <distribution D>
CK_TILE_FN void place_accumulators([[maybe_unused]] tile<float, D>& acc)
{
#if CK_TILE_ON_DEVICE
    detail::place_accumulators<D.regs()>(acc.files[0]);
#endif
}

// The accumulators of a product: zeros.
template <gemm::shape S>
CK_TILE_FN tile<float, gemm::accumulator(S)> accumulators()
{
    auto acc = fill<float, gemm::accumulator(S)>(0.f);
    place_accumulators(acc);
    return acc;
}

// acc [m, n] += a [m, slab] * b [n, slab] in fp32, the products of one element summed in ascending order of (packed) k.
template <gemm::shape S, class T>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const tile<T, gemm::a_fragments(S)>& a,
                    const tile<T, gemm::b_fragments(S)>& b)
{
    static_assert(type_of<T> == S.inst().type, "mma: the instruction multiplies another type");
    constexpr int rows = S.row_fragments(), cols = S.col_fragments();
#if CK_TILE_ON_DEVICE
    detail::multiply_fragments<S.instruction, rows, cols, S.pack()>(acc.files[0], a.files[0], b.files[0]);
#else
    constexpr int lanes = S.inst().a.lanes();
    for(int wave = 0; wave < S.waves(); ++wave)
        detail::multiply_wave<S.instruction, rows, cols, S.pack()>(acc.files + wave * lanes, a.files + wave * lanes,
                                                                   b.files + wave * lanes);
#endif
}

// acc [m, n] += a [m, k] * b [n, k], operands in LDS. In slabs, and where the target has such an instruction, the product is
// under way when this returns: wait_for_products() before the operands are overwritten or acc is used.
template <gemm::shape S, class T, auto ALayout, auto BLayout>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const lds_tile<T, ALayout>& a,
                    const lds_tile<T, BLayout>& b)
{
#if defined(__NVPTX__)
    if constexpr(requires { ALayout.slab; })
    {
        static_assert(S.row_fragments() == 1 && S.waves_n == 1 && S.waves() % 4 == 0,
                      "mma: wgmma gives a warp 16 rows and all columns");
        const T* rows = nullptr; // of the warpgroup
        for_each_thread<gemm::accumulator(S)>([&](thread t) { rows = a.at(t.wave / 4 * ALayout.slab, 0); });
        detail::wgmma_begin();
        CK_TILE_UNROLL
        for(int column = 0; column < S.k; column += S.inst().k)
            detail::wgmma<S.instruction, S.n>(acc.files[0].reg, detail::wgmma_descriptor(rows, ALayout.cols, column),
                                              detail::wgmma_descriptor(b.data, BLayout.cols, column));
        detail::wgmma_commit();
        return;
    }
#endif
    static_for<S.k / S.slab()>([&](auto i) {
        constexpr int k = i * S.slab();
        mma<S>(acc, load<gemm::a_fragments(S)>(a, {0, k}), load<gemm::b_fragments(S)>(b, {0, k}));
    });
}

// Waits for all products of operands in LDS but the last `Pending` ones.
template <int Pending>
CK_TILE_FN void wait_for_products()
{
#if defined(__NVPTX__)
    detail::wgmma_wait<Pending>();
#endif
}

} // namespace ck_tile
