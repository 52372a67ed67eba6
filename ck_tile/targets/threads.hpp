// SPDX-License-Identifier: MIT
// The threads of a block: one of them on a GPU, all of them in a loop on the CPU.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

template <int Cluster, int Waves, int Lanes, class F>
CK_TILE_FN constexpr void run_threads(F&& f)
{
#if CK_TILE_ON_DEVICE
    const int id = thread_id();
    // Not by readfirstlane, which would put it into a scalar register: it is convergent, so that what depends on it stays in
    // loops. A large f is inlined too: called, it would take tiles through memory.
    [[clang::always_inline]] f(thread{Waves == 1 ? 0 : id / Lanes, id % Lanes, 0, own_rank<Cluster>()});
#else
    for(int rank = 0; rank < Cluster; ++rank)
        for(int wave = 0; wave < Waves; ++wave)
            for(int lane = 0; lane < Lanes; ++lane) [[clang::always_inline]]
                f(thread{wave, lane, (rank * Waves + wave) * Lanes + lane, rank});
#endif
}

} // namespace ck_tile
