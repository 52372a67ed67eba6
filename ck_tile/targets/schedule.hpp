// SPDX-License-Identifier: MIT
// Hints to the instruction scheduler of a main loop.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// Instructions that a thread issues in one step, by kind; vectors of 16 bytes count once.
struct step_mix
{
    int matrix;
    int lds_reads;
    int lds_writes;
    int loads; // from global memory
};

// Spreads the memory instructions of the basic block between its matrix instructions, so that none of the units waits
// for a burst of another: first the loads from memory, whose latency the whole step hides, then the LDS reads one
// fragment ahead of their use.
template <step_mix Mix>
CK_TILE_FN void schedule_step()
{
#if defined(__AMDGCN__)
    constexpr int matrix = 0x8, load = 0x20, lds_read = 0x100;
    constexpr int memory = Mix.loads + Mix.lds_reads;
    constexpr int each   = Mix.matrix / (memory > 0 ? memory : 1);
    if constexpr(each > 0)
    {
        static_for<Mix.lds_reads>([&](auto) {
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, each, 0);
        });
        static_for<Mix.loads>([&](auto) {
            __builtin_amdgcn_sched_group_barrier(load, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, each, 0);
        });
    }
#endif
}

} // namespace ck_tile
