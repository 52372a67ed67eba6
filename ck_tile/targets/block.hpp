// SPDX-License-Identifier: MIT
// The block that runs a kernel: which one it is, its LDS, its barrier; and how a kernel is made known to the runtime.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/targets/kernel.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ck_tile/targets/units.hpp"

#include <cstddef>
#include <type_traits>

namespace ck_tile
{

struct block
{
    grid at;        // which block this is
    std::byte* lds; // its LDS, 16-byte aligned; on the CPU that of all its units, one after another
    int unit_lds_bytes = 0;

    // A place in LDS for elements of type T, `byte_offset` (a multiple of 16) from the start.
    template <class T>
    CK_TILE_FN T* lds_at(int byte_offset) const
    {
        return reinterpret_cast<T*>(lds + byte_offset);
    }

    // The same in the LDS of the thread's own unit, in a block that several units share.
    template <class T>
    CK_TILE_FN T* lds_of(thread t, int byte_offset) const
    {
        return lds_at<T>(byte_offset + (on_device ? 0 : t.unit * unit_lds_bytes));
    }

    // And in that of unit `unit`: to be read after sync_units(). A unit writes to what others read, or ends, when they have
    // said that they are done reading, arrive_units(), and it has waited for that, wait_units().
    template <class T>
    CK_TILE_FN const T* lds_of_unit(int unit, int byte_offset) const
    {
#if defined(__NVPTX__)
        return ck_tile::lds_of_unit(lds_at<T>(byte_offset), unit);
#else
        return lds_at<T>(byte_offset + unit * unit_lds_bytes);
#endif
    }

    // Waits until all threads of all units are here and see each other's LDS. A block of one unit does not need it where it has a
    // sync().
    template <int Units>
    CK_TILE_FN void sync_units() const
    {
#if defined(__NVPTX__)
        if constexpr(Units > 1)
            ck_tile::sync_units();
#endif
    }
    template <int Units>
    CK_TILE_FN void arrive_units() const
    {
#if defined(__NVPTX__)
        if constexpr(Units > 1)
            arrive_at_units();
#endif
    }
    template <int Units>
    CK_TILE_FN void wait_units() const
    {
#if defined(__NVPTX__)
        if constexpr(Units > 1)
            wait_for_units();
#endif
    }

    // Waits until all threads of the unit are here and see each other's LDS. Loads from global memory stay in flight.
    CK_TILE_FN void sync() const
    {
#if defined(__AMDGCN__)
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#elif defined(__NVPTX__)
        __nvvm_bar_sync(0);
#endif
    }
};

namespace detail
{
template <class Program>
void run_on_host(const void* arguments, grid at, std::byte* lds)
{
    Program::run(block{at, lds, Program::lds_bytes}, *static_cast<const typename Program::arguments*>(arguments));
}

// How many units share a block of the program: one, if it does not say.
template <class Program>
constexpr int units_of()
{
    if constexpr(requires { Program::units; })
        return Program::units;
    else
        return 1;
}

// How many blocks of the program a compute unit should hold at once, by the registers that a thread of it is to have; 0
// leaves it to the compiler.
template <class Program>
constexpr int blocks_at_once()
{
    if constexpr(requires { Program::registers; })
    {
        const int blocks = facts(Program::arch).unit_registers / (Program::threads * Program::registers);
        return blocks < 1 ? 1 : blocks;
    }
    else
        return 0;
}
} // namespace detail

// A program is a type with
//   arch         the architecture that it is made for
//   units        compute units that share a block; 1 if it does not say
//   threads      per unit, a multiple of the architecture's wave
//   lds_bytes    per unit
//   registers    that a thread needs, roughly; without, the compiler decides
//   arguments    a trivially copyable struct
//   run(block, const arguments&)
template <class Program>
constexpr kernel make_kernel(const char* name)
{
    static_assert(Program::threads % facts(Program::arch).wave == 0, "program: threads must be a multiple of the wave");
    static_assert(Program::lds_bytes <= facts(Program::arch).lds_bytes, "program: more LDS than a block can have");
    static_assert(detail::units_of<Program>() <= facts(Program::arch).max_units,
                  "program: more units than can share a block");
    static_assert(std::is_trivially_copyable_v<typename Program::arguments>,
                  "program: arguments must be trivially copyable, as a launch copies their bytes to the device");
#if defined(CK_TILE_NO_HOST_PROGRAMS) // set for programs of targets that are built for a GPU alone
    constexpr host_block on_host = nullptr;
#else
    constexpr host_block on_host = &detail::run_on_host<Program>;
#endif
    return {.name           = name,
            .arch           = Program::arch,
            .threads        = Program::threads,
            .lds_bytes      = Program::lds_bytes,
            .units          = detail::units_of<Program>(),
            .argument_bytes = sizeof(typename Program::arguments),
            .on_host        = on_host};
}

} // namespace ck_tile

// The threads of a block, for a GPU's compiler.
#if defined(__AMDGCN__)
#define CK_TILE_BLOCK_OF(...) amdgpu_flat_work_group_size(__VA_ARGS__::threads, __VA_ARGS__::threads)
#elif defined(__NVPTX__)
#define CK_TILE_BLOCK_OF(...) launch_bounds(__VA_ARGS__::threads, ::ck_tile::detail::blocks_at_once<__VA_ARGS__>())
#endif

// Defines the kernel `symbol` from a program: in a GPU's compilation the entry point of that name, on the host an object
// `const ck_tile::kernel symbol` that launches it.
#if CK_TILE_ON_DEVICE
#define CK_TILE_KERNEL(symbol, ...)                                                                                    \
    extern "C" __attribute__((global, CK_TILE_BLOCK_OF(__VA_ARGS__))) void symbol(__VA_ARGS__::arguments arguments)    \
    {                                                                                                                  \
        ::ck_tile::run_on_device<__VA_ARGS__>(arguments);                                                              \
    }
#else
#define CK_TILE_KERNEL(symbol, ...)                                                                                    \
    extern const ::ck_tile::kernel symbol;                                                                             \
    constinit const ::ck_tile::kernel symbol = ::ck_tile::make_kernel<__VA_ARGS__>(#symbol);
#endif

#if CK_TILE_ON_DEVICE
#if defined(__NVPTX__)
extern __attribute__((shared)) std::byte ck_tile_dynamic_lds alignas(1024)[]; // as many bytes as the launch says
#endif

namespace ck_tile
{
#if defined(__NVPTX__)
// The runtime launches kernels so that blocks of one may come to a compute unit while those of the kernel before it end. This is
// what makes that safe, for every kernel of the library: CK_TILE_KERNEL's entry calls it before the program, so that no block
// touches memory before the kernel before it is done and all that it wrote can be seen. That kernel has waited likewise for those
// before it. The first instruction lets the next kernel's blocks come, once all blocks of this one are on the device.
CK_TILE_FN __attribute__((device)) void wait_for_earlier_kernels()
{
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
}
#endif

template <class Program>
CK_TILE_FN __attribute__((device)) void run_on_device(const typename Program::arguments& arguments)
{
    static_assert(compiles_for(Program::arch), "program: made for another architecture than --offload-arch says");
#if defined(__AMDGCN__)
    __attribute__((shared)) static std::byte lds alignas(16)[Program::lds_bytes > 0 ? Program::lds_bytes : 16];
    const grid at = {static_cast<unsigned>(__builtin_amdgcn_workgroup_id_x()),
                     static_cast<unsigned>(__builtin_amdgcn_workgroup_id_y()),
                     static_cast<unsigned>(__builtin_amdgcn_workgroup_id_z())};
    Program::run(block{at, lds}, arguments);
#else
    wait_for_earlier_kernels();
    const grid at = {static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_x()) / detail::units_of<Program>(),
                     static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_y()),
                     static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_z())};
    Program::run(block{at, ck_tile_dynamic_lds}, arguments);
#endif
}
} // namespace ck_tile
#endif
