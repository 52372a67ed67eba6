// SPDX-License-Identifier: MIT
// The threads of a block: one of them on a GPU, all of them in a loop on the CPU.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

// Of a block that has more waves, in which some have a role of their own: these `Waves`, or those behind a multiple of them.
template <int Cluster, int Waves, int Lanes, class F>
CK_TILE_FN constexpr void run_threads(F&& f)
{
#if CK_TILE_ON_DEVICE
    const int id = thread_id(), wave = has_wave_roles ? id / Lanes % Waves : id / Lanes;
    // Not by readfirstlane, which would put it into a scalar register: it is convergent, so that what depends on it stays in
    // loops. A large f is inlined too: called, it would take tiles through memory.
    [[clang::always_inline]] f(thread{Waves == 1 ? 0 : wave, id % Lanes, 0, own_rank<Cluster>()});
#else
    program_checker* const checker = __builtin_is_constant_evaluated() ? nullptr : checker_of_program;
    if(checker != nullptr) [[unlikely]]
        checker->begin_threads(Cluster, Waves, Lanes);
    for(int rank = 0; rank < Cluster; ++rank)
        for(int wave = 0; wave < Waves; ++wave)
            for(int lane = 0; lane < Lanes; ++lane)
            {
                thread t = {wave, lane, (rank * Waves + wave) * Lanes + lane, rank};
                if(checker != nullptr) [[unlikely]]
                    t = checker->turn(t, Waves, Lanes);
                [[clang::always_inline]] f(t);
            }
    if(checker != nullptr) [[unlikely]]
        checker->end_threads();
#endif
}

// The first thread of these waves.
template <int Waves, int Lanes, class F>
CK_TILE_FN void run_one_thread(F&& f)
{
    run_threads<1, Waves, Lanes>([&](thread t) {
        if(t.wave == 0 && t.lane == 0)
            f();
    });
}

// Whether this thread is in the first waves of its block, of which others have another role; the CPU has all roles.
template <int Waves, int Lanes>
CK_TILE_FN bool is_in_first_waves()
{
#if CK_TILE_ON_DEVICE
    return thread_id() < Waves * Lanes;
#else
    return true;
#endif
}

} // namespace ck_tile
