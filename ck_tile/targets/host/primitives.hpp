// SPDX-License-Identifier: MIT
// The primitives of the CPU, where one run of a program stands for all threads of the block: each verb is done by all of them
// before the next one starts, so nobody waits. What would have to wait on a GPU, the checker is told.
#pragma once

#include "ck_tile/targets/absent/halves.hpp"
#include "ck_tile/targets/absent/predication.hpp"
#include "ck_tile/targets/absent/rounding.hpp"
#include "ck_tile/targets/absent/transposed_reads.hpp"
#include "ck_tile/targets/host/cluster.hpp"
#include "ck_tile/targets/host/copies.hpp"
#include "ck_tile/targets/host/mbarrier.hpp"
#include "ck_tile/targets/host/memory.hpp"
#include "ck_tile/targets/host/program_check.hpp"

namespace ck_tile
{

inline constexpr bool has_wave_roles = false;

inline void sync_block()
{
    tell_checker([](program_checker& c) { c.sync_block(); });
}
inline void sync_wave()
{
    tell_checker([](program_checker& c) { c.sync_wave(); });
}
template <int Waves, int Lanes>
void sync_waves()
{
    tell_checker([](program_checker& c) { c.sync_waves(); });
}
template <int Now, int Before>
void use_registers()
{
}

inline float approximate_exp2(float x) { return __builtin_exp2f(x); }
inline float approximate_reciprocal(float x) { return 1 / x; }

inline void schedule_fence() {}

// One for all waves, as one thread stands for them.
template <int Waves>
unsigned arrive_in_memory(unsigned* arrived)
{
    if(program_checker* const checker = checker_of_program; checker != nullptr)
        return checker->arrive_in_memory(arrived);
    return __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL);
}

template <step_mix>
CK_TILE_FN void schedule_step()
{
}

template <class Word>
CK_TILE_FN void make_opaque(Word&)
{
}

} // namespace ck_tile
