// SPDX-License-Identifier: MIT
// Asynchronous copies of NVIDIA GPUs.
#pragma once

#include "ck_tile/targets/plain_range.hpp"

namespace ck_tile
{

inline constexpr bool has_async_copies = true;

// The address that instructions for shared memory take.
CK_TILE_FN unsigned lds_address(const void* p)
{
    return static_cast<unsigned>(reinterpret_cast<unsigned long>((const __attribute__((address_space(3))) void*)p));
}

namespace detail
{
CK_TILE_FN void copy_line(void* to, const char* from, bool there) // zeros if not
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(lds_address(to)), "l"(from), "r"(there ? 16 : 0)
                 : "memory");
}
} // namespace detail

CK_TILE_FN void copy_line(void* to, const memory_range& from, unsigned byte_offset)
{
    detail::copy_line(to, from.base + byte_offset, byte_offset < from.bytes);
}

// The row's address stays in a register.
CK_TILE_FN void copy_line(void* to, const memory_range& from, const gathered& where)
{
    detail::copy_line(to, from.base + static_cast<int>(where.row) + static_cast<int>(where.column), where.exists);
}

CK_TILE_FN void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int Batches>
CK_TILE_FN void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Batches) : "memory");
}

// Waits for all of the thread's earlier accesses: for those alone whose operands tensor cores read from LDS.
CK_TILE_FN void see_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Asks for a run of memory, of a multiple of 16 bytes, to come to the cache that all compute units share.
CK_TILE_FN void prefetch_run(const void* from, int bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(from), "r"(bytes) : "memory");
}

} // namespace ck_tile
