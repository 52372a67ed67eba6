// SPDX-License-Identifier: MIT
// The primitives of the CPU, where one run of a program stands for all threads of the block: each verb is done by all of them
// before the next one starts, so nobody waits.
#pragma once

#include "ck_tile/targets/absent/async_copy.hpp"
#include "ck_tile/targets/absent/cluster.hpp"
#include "ck_tile/targets/absent/halves.hpp"
#include "ck_tile/targets/absent/predication.hpp"
#include "ck_tile/targets/absent/rounding.hpp"
#include "ck_tile/targets/absent/wave_roles.hpp"
#include "ck_tile/targets/host/mbarrier.hpp"
#include "ck_tile/targets/host/memory.hpp"

namespace ck_tile
{

CK_TILE_FN void sync_block() {}
CK_TILE_FN void sync_wave() {}
CK_TILE_FN void schedule_fence() {}

// One for all waves, as one thread stands for them.
template <int Waves>
CK_TILE_FN unsigned arrive_in_memory(unsigned* arrived)
{
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
