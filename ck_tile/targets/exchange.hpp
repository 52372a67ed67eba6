// SPDX-License-Identifier: MIT
// Registers of another lane of the wave.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// The tile whose lane l holds what lane l xor mask holds of x.
template <class T, distribution D>
CK_TILE_FN tile<T, D> exchange_lanes(const tile<T, D>& x, int mask)
{
    tile<T, D> y;
#if defined(__AMDGCN__)
    const int partner = (static_cast<int>(__builtin_amdgcn_workitem_id_x()) ^ mask) % D.lanes();
    static_for<D.regs()>([&](auto r) {
        static_for<D.vecs()>([&](auto v) {
            // The permutation moves 32 bits; a narrower element travels in the lower half.
            using bits       = std::conditional_t<sizeof(T) == 4, int, short>;
            const int mine   = __builtin_bit_cast(bits, x.files[0].get(r, v));
            const int theirs = __builtin_amdgcn_ds_bpermute(partner * 4, mine);
            y.files[0].set(r, v, __builtin_bit_cast(T, static_cast<bits>(theirs)));
        });
    });
#elif defined(__NVPTX__)
    static_for<D.regs() * D.vecs()>([&](auto i) {
        using bits      = std::conditional_t<sizeof(T) == 4, int, short>;
        constexpr int r = i / D.vecs(), v = i % D.vecs();
        const int theirs =
            __nvvm_shfl_sync_bfly_i32(0xffffffff, __builtin_bit_cast(bits, x.files[0].get(r, v)), mask, 0x1f);
        y.files[0].set(r, v, __builtin_bit_cast(T, static_cast<bits>(theirs)));
    });
#else
    for_each_thread<D>(
        [&](thread t) { y.of(t) = x.of({t.wave, t.lane ^ mask, t.copy - t.lane + (t.lane ^ mask), t.unit}); });
#endif
    return y;
}

} // namespace ck_tile
