// SPDX-License-Identifier: MIT
// The primitives that AMD's GPUs share. An architecture states rounds_to_bf16, and detail::buffer_format before it includes this.
#pragma once

#include "ck_tile/targets/absent/arrivals.hpp"
#include "ck_tile/targets/absent/async_copy.hpp"
#include "ck_tile/targets/absent/cluster.hpp"
#include "ck_tile/targets/absent/mbarrier.hpp"
#include "ck_tile/targets/absent/predication.hpp"
#include "ck_tile/targets/absent/program_check.hpp"
#include "ck_tile/targets/absent/transposed_reads.hpp"
#include "ck_tile/targets/absent/wave_roles.hpp"
#include "ck_tile/targets/amdgcn/memory.hpp"

namespace ck_tile
{

CK_TILE_FN int thread_id() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }

// Loads from global memory stay in flight.
CK_TILE_FN void sync_block()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// Lanes run together, and LDS serves a wave's accesses in order.
CK_TILE_FN void sync_wave()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
}

CK_TILE_FN int exchange_word(int x, int mask, int lanes)
{
    return __builtin_amdgcn_ds_bpermute((thread_id() ^ mask) % lanes * 4, x);
}

CK_TILE_FN void schedule_fence() { __builtin_amdgcn_sched_barrier(0); }

// All LDS reads of the basic block come first, so that products wait for one latency and not for one each; loads from memory go
// among the first quarter of the products, which leaves three to hide their latency before their values go to LDS.
template <step_mix Mix>
CK_TILE_FN void schedule_step()
{
    constexpr int matrix = 0x8, load = 0x20, lds_read = 0x100;
    constexpr int groups = Mix.loads > 0 ? Mix.loads : 1;
    constexpr int few    = Mix.matrix / (4 * groups);
    if constexpr(few > 0)
    {
        __builtin_amdgcn_sched_group_barrier(lds_read, Mix.lds_reads, 0);
        static_for<groups>([&](auto) {
            __builtin_amdgcn_sched_group_barrier(matrix, few, 0);
            __builtin_amdgcn_sched_group_barrier(load, 1, 0);
        });
    }
}

CK_TILE_FN float approximate_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
CK_TILE_FN float approximate_reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }

// The bytes of `high` have the numbers 4 to 7, those of `low` 0 to 3.
inline constexpr bool joins_halves = true;
template <int Low, int High>
CK_TILE_FN unsigned join_halves(unsigned low, unsigned high)
{
    constexpr unsigned from_low = 2 * Low, from_high = 4 + 2 * High;
    return __builtin_amdgcn_perm(high, low,
                                 from_high << 24 | 1 << 24 | from_high << 16 | from_low << 8 | 1 << 8 | from_low);
}

template <class Word>
CK_TILE_FN void make_opaque(Word& word)
{
    asm volatile("" : "+v"(word));
}

template <int Cluster>
CK_TILE_FN grid own_block()
{
    return {static_cast<unsigned>(__builtin_amdgcn_workgroup_id_x()),
            static_cast<unsigned>(__builtin_amdgcn_workgroup_id_y()),
            static_cast<unsigned>(__builtin_amdgcn_workgroup_id_z())};
}

template <int Bytes>
CK_TILE_FN __attribute__((device)) std::byte* own_lds()
{
    __attribute__((shared)) static std::byte lds alignas(16)[Bytes > 0 ? Bytes : 16];
    return lds;
}

// The queue starts a kernel when the one before it is done.
CK_TILE_FN void wait_for_earlier_kernels() {}

} // namespace ck_tile

#define CK_TILE_ARGUMENTS
#define CK_TILE_BLOCK_OF(...) amdgpu_flat_work_group_size(__VA_ARGS__::threads, __VA_ARGS__::threads)
