// SPDX-License-Identifier: MIT
// The block that runs a kernel: which one it is, its LDS, its barrier; and how a kernel is made known to the runtime.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/targets/kernel.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/targets.hpp"

#include <cstddef>
#include <type_traits>

namespace ck_tile
{

struct block
{
    grid at;        // which block this is
    std::byte* lds; // its LDS, 16-byte aligned; on the CPU that of all ranks of the cluster, one after another
    int rank_lds_bytes = 0;

    // A place in LDS for elements of type T, `byte_offset` (a multiple of 16) from the start.
    template <class T>
    CK_TILE_FN lds_pointer<T> lds_at(int byte_offset) const
    {
        return lds_pointer<T>(reinterpret_cast<T*>(lds + byte_offset));
    }

    // What a member of a plan is, which begins where LDS does: a tile, a ring of tiles, an array, or room for what a verb or a barrier has there.
    template <auto Member>
    CK_TILE_FN auto lds_at() const
    {
        return detail::member_in_lds(lds, Member);
    }

    // The same as lds_at(byte_offset) in the LDS of the thread's own workgroup, in a block that is a cluster of several.
    template <class T>
    CK_TILE_FN lds_pointer<T> lds_of(thread t, int byte_offset) const
    {
        return lds_at<T>(byte_offset + (on_device ? 0 : t.rank * rank_lds_bytes));
    }

    // A member of its plan.
    template <auto Member>
    CK_TILE_FN auto lds_of(thread t) const
    {
        return detail::member_in_lds(lds + (on_device ? 0 : t.rank * rank_lds_bytes), Member);
    }

    // And in that of rank `rank`: to be read after sync_cluster(). A workgroup writes to what others read, or ends, when they have
    // said that they are done reading, arrive_cluster(), and it has waited for that, wait_cluster().
    template <class T>
    CK_TILE_FN lds_pointer<const T> lds_of_rank(int rank, int byte_offset) const
    {
        return lds_pointer<const T>(
            ck_tile::lds_of_rank(static_cast<T*>(lds_at<T>(byte_offset)), rank, rank_lds_bytes));
    }
    template <auto Member> // an array
    CK_TILE_FN auto lds_of_rank(int rank) const
    {
        const auto own = lds_at<Member>();
        using element  = std::remove_pointer_t<decltype(own.data)>;
        return lds_array<const element, own.length>{ck_tile::lds_of_rank(own.data, rank, rank_lds_bytes)};
    }

    // Waits until all threads of the cluster are here and see each other's LDS. A block of one workgroup does not need it where it has a
    // sync().
    template <int Cluster>
    CK_TILE_FN void sync_cluster() const
    {
        if constexpr(Cluster > 1)
            ck_tile::sync_cluster();
    }
    template <int Cluster>
    CK_TILE_FN void arrive_cluster() const
    {
        if constexpr(Cluster > 1)
            arrive_at_cluster();
    }
    template <int Cluster>
    CK_TILE_FN void wait_cluster() const
    {
        if constexpr(Cluster > 1)
            wait_for_cluster();
    }

    // Waits until all threads of the workgroup are here and see each other's LDS.
    CK_TILE_FN void sync(source_line at = source_line::current()) const
    {
        [[maybe_unused]] const verb_scope verb("sync", at);
        sync_block();
    }
};

namespace detail
{
template <class Program>
void run_on_host(const void* arguments, grid at, std::byte* lds)
{
    Program::run(block{at, lds, Program::lds_bytes}, *static_cast<const typename Program::arguments*>(arguments));
}

// How many workgroups are the cluster of a block of the program: one, if it does not say.
template <class Program>
constexpr int cluster_of()
{
    if constexpr(requires { Program::cluster; })
        return Program::cluster;
    else
        return 1;
}

// How many blocks of the program a compute unit should hold at once, by the registers that a thread of it is to have; 0
// leaves it to the compiler.
template <class Program>
constexpr int blocks_at_once()
{
    int registers = 0;
    if constexpr(requires { Program::registers; })
        registers = Program::registers;
    if(registers == 0)
        return 0;
    const int blocks = facts(Program::arch).compute_unit_registers / (Program::threads * registers);
    return blocks < 1 ? 1 : blocks;
}
} // namespace detail

// A program is a type with
//   arch         the architecture that it is made for
//   cluster      workgroups that a block is; 1 if it does not say
//   threads      per workgroup, a multiple of the architecture's wave
//   lds_bytes    per workgroup
//   registers    that a thread needs, roughly; without, or 0, the compiler decides
//   arguments    a trivially copyable struct
//   map_at, maps where in the arguments tensor maps are, and how many; none if it does not say
//   run(block, const arguments&)
// and, on the host, for launches that do not say it
//   blocks(const arguments&)    the grid that they take
template <class Program>
constexpr kernel make_kernel(const char* name)
{
    static_assert(Program::threads % facts(Program::arch).wave == 0, "program: threads must be a multiple of the wave");
    static_assert(Program::lds_bytes <= facts(Program::arch).lds_bytes, "program: more LDS than a block can have");
    static_assert(detail::cluster_of<Program>() <= facts(Program::arch).max_cluster,
                  "program: more workgroups than a cluster can have");
    static_assert(std::is_trivially_copyable_v<typename Program::arguments>,
                  "program: arguments must be trivially copyable, as a launch copies their bytes to the device");
#if defined(CK_TILE_NO_HOST_PROGRAMS) // set for programs of targets that are built for a GPU alone
    constexpr host_block on_host = nullptr;
#else
    constexpr host_block on_host = &detail::run_on_host<Program>;
#endif
    int map_at = 0, maps = 0;
    if constexpr(requires { Program::maps; })
        map_at = Program::map_at, maps = Program::maps;
    grid (*blocks)(const void*) = nullptr;
    if constexpr(requires(const typename Program::arguments& a) { Program::blocks(a); })
        blocks = [](const void* a) { return Program::blocks(*static_cast<const typename Program::arguments*>(a)); };
    return {.name           = name,
            .arch           = Program::arch,
            .threads        = Program::threads,
            .lds_bytes      = Program::lds_bytes,
            .cluster        = detail::cluster_of<Program>(),
            .argument_bytes = sizeof(typename Program::arguments),
            .on_host        = on_host,
            .map_at         = map_at,
            .maps           = maps,
            .blocks         = blocks};
}

} // namespace ck_tile

// Defines the kernel `symbol` from a program: in a GPU's compilation the entry point of that name, on the host an object
// `const ck_tile::kernel symbol` that launches it.
#if CK_TILE_ON_DEVICE
#define CK_TILE_KERNEL(symbol, ...)                                                                                    \
    extern "C" __attribute__((global, CK_TILE_BLOCK_OF(__VA_ARGS__))) void symbol(                                     \
        const __VA_ARGS__::arguments __attribute__((CK_TILE_ARGUMENTS)) arguments)                                     \
    {                                                                                                                  \
        ::ck_tile::run_on_device<__VA_ARGS__>(arguments);                                                              \
    }
#else
#define CK_TILE_KERNEL(symbol, ...)                                                                                    \
    extern const ::ck_tile::kernel symbol;                                                                             \
    constinit const ::ck_tile::kernel symbol = ::ck_tile::make_kernel<__VA_ARGS__>(#symbol);
#endif

// CK_TILE_KERNELS(symbol, Program) is what a source that CMake's ck_tile_add_kernel() compiles has, on a line of its own: the kernels of
// Program<architecture>, a template, for each of the architectures, which `const ck_tile::kernel_set symbol` launches.
#define CK_TILE_KERNELS(symbol, ...) CK_TILE_KERNELS_FOR(symbol, CK_TILE_ARCHITECTURE, __VA_ARGS__)
#define CK_TILE_KERNELS_FOR(symbol, target, ...) CK_TILE_KERNEL_FOR(symbol, target, __VA_ARGS__)
#define CK_TILE_KERNEL_FOR(symbol, target, ...)                                                                        \
    CK_TILE_KERNEL(symbol##_##target, __VA_ARGS__<::ck_tile::architecture::target>)

#if CK_TILE_ON_DEVICE
namespace ck_tile
{
template <class Program>
CK_TILE_FN __attribute__((device)) void run_on_device(const typename Program::arguments& arguments)
{
    static_assert(compiles_for(Program::arch), "program: made for another architecture than --offload-arch says");
    wait_for_earlier_kernels();
    Program::run(block{own_block<detail::cluster_of<Program>()>(), own_lds<Program::lds_bytes>()}, arguments);
}
} // namespace ck_tile
#endif
