// SPDX-License-Identifier: MIT
// The compute units that share a block, where a target has blocks of more than one (sm90: the CTAs of a cluster).
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

// The unit that this thread runs on.
template <int Units>
CK_TILE_FN int own_unit()
{
#if defined(__NVPTX__)
    if constexpr(Units > 1)
        return static_cast<int>(__nvvm_read_ptx_sreg_cluster_ctarank());
#endif
    return 0;
}

#if defined(__NVPTX__)
// Where the LDS of unit `unit` lies that is at `own` in this thread's unit.
template <class T>
CK_TILE_FN T* lds_of_unit(T* own, int unit)
{
    return static_cast<T*>(__nvvm_mapa(own, unit));
}

// A barrier of all threads of all units: what each has written to LDS before is seen by all after.
CK_TILE_FN void sync_units()
{
    __nvvm_barrier_cluster_arrive();
    __nvvm_barrier_cluster_wait();
}

// The same in two halves, of which the first waits for nothing that the thread has written, and shows it to nobody.
CK_TILE_FN void arrive_at_units() { __nvvm_barrier_cluster_arrive_relaxed(); }
CK_TILE_FN void wait_for_units() { __nvvm_barrier_cluster_wait(); }
#endif

} // namespace ck_tile
