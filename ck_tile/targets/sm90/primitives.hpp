// SPDX-License-Identifier: MIT
// The primitives of NVIDIA Hopper. The workgroups of a block are the CTAs of a cluster.
#pragma once

#include "ck_tile/targets/absent/halves.hpp"
#include "ck_tile/targets/absent/program_check.hpp"
#include "ck_tile/targets/sm90/async_copy.hpp"
#include "ck_tile/targets/sm90/mbarrier.hpp"
#include "ck_tile/targets/sm90/memory.hpp"

extern __attribute__((shared)) std::byte ck_tile_dynamic_lds alignas(1024)[]; // as many bytes as the launch says

namespace ck_tile
{

CK_TILE_FN int thread_id() { return static_cast<int>(__nvvm_read_ptx_sreg_tid_x()); }

CK_TILE_FN void sync_block() { __nvvm_bar_sync(0); }
CK_TILE_FN void sync_wave() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// Waves of one role, by a barrier of their own.
template <int Waves, int Lanes>
CK_TILE_FN void sync_waves()
{
    asm volatile("bar.sync 1, %0;" ::"n"(Waves * Lanes) : "memory");
}

inline constexpr bool has_wave_roles = true;

template <int Waves>
CK_TILE_FN unsigned arrive_in_memory(unsigned* arrived)
{
    unsigned before = 0;
    sync_wave();
    if(thread_id() % 32 == 0)
        before = __scoped_atomic_fetch_add(arrived + thread_id() / 32, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    return static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(0xffffffff, static_cast<int>(before), 0, 0x1f));
}

// Of the registers that the block has: those that give go first.
template <int Now, int Before>
CK_TILE_FN void use_registers()
{
    if constexpr(Now > Before)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Now));
    else if constexpr(Now < Before)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Now));
}

template <int Cluster>
CK_TILE_FN int own_rank()
{
    if constexpr(Cluster > 1)
        return static_cast<int>(__nvvm_read_ptx_sreg_cluster_ctarank());
    return 0;
}

template <class T>
CK_TILE_FN T* lds_of_rank(T* own, int rank, int)
{
    return static_cast<T*>(__nvvm_mapa(own, rank));
}

CK_TILE_FN void sync_cluster()
{
    __nvvm_barrier_cluster_arrive();
    __nvvm_barrier_cluster_wait();
}

CK_TILE_FN void arrive_at_cluster() { __nvvm_barrier_cluster_arrive_relaxed(); }
CK_TILE_FN void wait_for_cluster() { __nvvm_barrier_cluster_wait(); }

CK_TILE_FN int exchange_word(int x, int mask, int) { return __nvvm_shfl_sync_bfly_i32(0xffffffff, x, mask, 0x1f); }

inline constexpr bool rounds_to_bf16 = true;

// The addition is predicated. The compiler would add, select, and move all loads in front of that, which costs the registers
// that the sums need.
CK_TILE_FN float add_if_equal(float sum, float x, int a, int b)
{
    asm("{.reg .pred p; setp.eq.s32 p, %2, %3; @p add.f32 %0, %0, %1;}" : "+f"(sum) : "f"(x), "r"(a), "r"(b));
    return sum;
}

CK_TILE_FN float larger(float x, float y)
{
    float z;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}
CK_TILE_FN float smaller(float x, float y)
{
    float z;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}

inline constexpr bool compares_halves = true;
template <bool Bf16>
CK_TILE_FN unsigned larger_halves(unsigned x, unsigned y)
{
    unsigned z;
    if constexpr(Bf16)
        asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    else
        asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    return z;
}
template <bool Bf16>
CK_TILE_FN unsigned smaller_halves(unsigned x, unsigned y)
{
    unsigned z;
    if constexpr(Bf16)
        asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    else
        asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    return z;
}

// One comparison, which takes any x once the largest is a NaN.
CK_TILE_FN bool take_larger(float& most, float x)
{
    const bool taken = !(x <= most);
    most             = larger(x, most);
    return taken;
}

template <bool Bf16>
CK_TILE_FN void take_larger_halves(unsigned& most, unsigned& at, unsigned x, unsigned from)
{
    unsigned taken;
    if constexpr(Bf16)
        asm("set.gt.u32.bf16x2 %0, %1, %2;" : "=r"(taken) : "r"(x), "r"(most));
    else
        asm("set.gt.u32.f16x2 %0, %1, %2;" : "=r"(taken) : "r"(x), "r"(most));
    most = larger_halves<Bf16>(most, x);
    at   = (from & taken) | (at & ~taken);
}

CK_TILE_FN float approximate_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
CK_TILE_FN float approximate_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

inline constexpr bool has_transposed_reads = true;
CK_TILE_FN void read_transposed(unsigned (&to)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(lds_address(row))
                 : "memory");
}

template <int Squares>
CK_TILE_FN void read_squares(unsigned (&to)[Squares], unsigned row)
{
    static_assert(Squares == 2 || Squares == 4);
    if constexpr(Squares == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1])
                     : "r"(row)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(row)
                     : "memory");
}

CK_TILE_FN void schedule_fence() {}

template <step_mix>
CK_TILE_FN void schedule_step()
{
}

template <class Word>
CK_TILE_FN void make_opaque(Word& word)
{
    asm volatile("" : "+r"(word));
}

template <int Cluster>
CK_TILE_FN grid own_block()
{
    return {static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_x()) / Cluster,
            static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_y()),
            static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_z())};
}

template <int Bytes>
CK_TILE_FN __attribute__((device)) std::byte* own_lds()
{
    return ck_tile_dynamic_lds;
}

// The runtime launches kernels so that blocks of one may come to a compute rank while those of the kernel before it end. This is
// what makes that safe, for every kernel of the library: CK_TILE_KERNEL's entry calls it before the program, so that no block
// touches memory before the kernel before it is done and all that it wrote can be seen. That kernel has waited likewise for those
// before it. The first instruction lets the next kernel's blocks come, once all blocks of this one are on the device.
CK_TILE_FN void wait_for_earlier_kernels()
{
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
}

} // namespace ck_tile

// A tensor_map is read where it is passed.
#define CK_TILE_ARGUMENTS grid_constant
#define CK_TILE_BLOCK_OF(...) launch_bounds(__VA_ARGS__::threads, ::ck_tile::detail::blocks_at_once<__VA_ARGS__>())
