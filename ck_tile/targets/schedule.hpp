// SPDX-License-Identifier: MIT
// Hints to the instruction scheduler of a main loop.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// No instruction moves across this point of the program.
CK_TILE_FN void schedule_fence()
{
#if defined(__AMDGCN__)
    __builtin_amdgcn_sched_barrier(0);
#endif
}

// Instructions that a thread issues in one step, by kind; vectors of 16 bytes count once.
struct step_mix
{
    int matrix;
    int lds_reads;
    int lds_writes;
    int loads; // from global memory
};

// Spreads the memory instructions of the basic block over the first quarter of its matrix instructions: a load from memory,
// its share of the LDS reads, a few products, the next load. The other three quarters hide the latency of the loads, whose
// values go to LDS at the end.
template <step_mix Mix>
CK_TILE_FN void schedule_step()
{
#if defined(__AMDGCN__)
    constexpr int matrix = 0x8, load = 0x20, lds_read = 0x100;
    constexpr int groups = Mix.loads > 0 ? Mix.loads : 1;
    constexpr int reads  = (Mix.lds_reads + groups - 1) / groups;
    constexpr int few    = Mix.matrix / (4 * groups);
    if constexpr(few > 0)
        static_for<groups>([&](auto) {
            __builtin_amdgcn_sched_group_barrier(load, 1, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, reads, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, few, 0);
        });
#endif
}

} // namespace ck_tile
