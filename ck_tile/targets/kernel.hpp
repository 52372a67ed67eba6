// SPDX-License-Identifier: MIT
// A compiled block program: what the host needs to know of it to launch it; and the same program for several architectures.
#pragma once

#include "ck_tile/targets/execution.hpp"
#include "ck_tile/targets/target.hpp"

#include <cstddef>
#include <span>

namespace ck_tile
{

// Runs one block of the program on the CPU; `at` says which; `lds` is the block's own LDS, 16-byte aligned.
using host_block = void (*)(const void* arguments, grid at, std::byte* lds);

struct kernel
{
    const char* name;         // its symbol in a GPU's code object
    architecture arch;        // that it is compiled for
    int threads;              // per workgroup of the cluster
    int lds_bytes;            // per workgroup
    int cluster;              // workgroups of a block
    int argument_bytes;       // of the struct that a launch passes
    host_block on_host;       // null in a program that was built without the host target
    int map_at = 0, maps = 0; // where in the arguments tensor maps are, and how many, side by side
    grid (*blocks)(const void* arguments) = nullptr; // of a launch; null where the program does not say
};

// A program as ck_tile_add_kernel() compiles it, for several architectures: a device launches its own.
struct kernel_set
{
    const char* name;
    std::span<const kernel* const> kernels;
};

} // namespace ck_tile
