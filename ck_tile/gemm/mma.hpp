// SPDX-License-Identifier: MIT
// The verb mma: acc += A * B by the waves of a block, each with its own fragments.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

// Keeps accumulators in the registers that suit the instruction, at this point of the program.
template <distribution D>
CK_TILE_FN void place_accumulators(tile<float, D>& acc)
{
    detail::place_accumulators<D.regs()>(acc.files[0]);
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
    detail::multiply_files<S.instruction, S.row_fragments(), S.col_fragments(), S.pack(), S.waves()>(acc.files, a.files,
                                                                                                     b.files);
}

// acc [m, n] += a [m, k] * b [n, k], operands in LDS. In slabs, and where the target has such an instruction, the product is
// under way when this returns: wait_for_products() before the operands are overwritten or acc is used.
template <gemm::shape S, class T, auto ALayout, auto BLayout>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const lds_tile<T, ALayout>& a,
                    const lds_tile<T, BLayout>& b)
{
    if constexpr(detail::multiplies_slabs && std::is_same_v<decltype(ALayout), slab_layout>)
    {
        static_assert(S.row_fragments() == 1 && S.waves_n == 1 && S.waves() % 4 == 0,
                      "mma: of operands in slabs a wave makes 16 rows and all columns, in groups of four waves");
        const T* rows = nullptr; // of the group
        for_each_thread<gemm::accumulator(S)>([&](thread t) { rows = a.at(t.wave / 4 * ALayout.slab, 0); });
        detail::multiply_slabs<S.instruction, S.n, S.k>(acc.files[0].reg, rows, b.data, ALayout.cols, BLayout.cols);
    }
    else
        static_for<S.k / S.slab()>([&](auto i) {
            constexpr int k = i * S.slab();
            mma<S>(acc, load<gemm::a_fragments(S)>(a, {0, k}), load<gemm::b_fragments(S)>(b, {0, k}));
        });
}

// Waits for all products of operands in LDS but the last `Pending` ones.
template <int Pending>
CK_TILE_FN void wait_for_products()
{
    detail::wait_for_slabs<Pending>();
}

} // namespace ck_tile
