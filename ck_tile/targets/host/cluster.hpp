// SPDX-License-Identifier: MIT
// A cluster on the CPU is a loop over its ranks, whose LDS lies side by side: nobody waits.
#pragma once

#include "ck_tile/targets/host/program_check.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

template <int Cluster>
int own_rank()
{
    return 0;
}

template <class T>
T* lds_of_rank(T* own, int rank, int rank_bytes)
{
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(own) + rank * rank_bytes);
}

inline void sync_cluster()
{
    tell_checker([](program_checker& c) { c.sync_cluster(); });
}
inline void arrive_at_cluster()
{
    tell_checker([](program_checker& c) { c.arrive_at_cluster(); });
}
inline void wait_for_cluster()
{
    tell_checker([](program_checker& c) { c.wait_for_cluster(); });
}

} // namespace ck_tile
