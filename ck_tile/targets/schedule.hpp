// SPDX-License-Identifier: MIT
// Hints to the compiler: what moves where in a main loop, what is worth a register.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// No instruction moves across this point of the program.
CK_TILE_FN void schedule_fence()
{
#if defined(__AMDGCN__)
    __builtin_amdgcn_sched_barrier(0);
#endif
}

// The tile alone is worth its registers: what was worked out from it before this point, such as its elements in a wider type,
// is worked out again after it instead of being kept.
template <class T, distribution D>
CK_TILE_FN void keep_packed([[maybe_unused]] tile<T, D>& x)
{
#if CK_TILE_ON_DEVICE
    constexpr int words = D.vecs() * static_cast<int>(sizeof(T)) / 4;
    if constexpr(words > 0)
        static_for<D.regs()>([&](auto r) {
            using packed = unsigned __attribute__((ext_vector_type(words)));
            packed p     = __builtin_bit_cast(packed, x.files[0].reg[r]);
            for(int i = 0; i < words; ++i)
            {
                unsigned word = p[i];
#if defined(__AMDGCN__)
                asm volatile("" : "+v"(word));
#else
                asm volatile("" : "+r"(word));
#endif
                p[i] = word;
            }
            x.files[0].reg[r] = __builtin_bit_cast(typename tile<T, D>::registers, p);
        });
#endif
}

// x, of which the compiler no longer knows where it came from: what is worked out from it is worked out anew, instead of being
// kept in registers since it was worked out before.
CK_TILE_FN int anew(int x)
{
#if defined(__AMDGCN__)
    asm volatile("" : "+v"(x));
#elif defined(__NVPTX__)
    asm volatile("" : "+r"(x));
#endif
    return x;
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
