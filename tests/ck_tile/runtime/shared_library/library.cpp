// SPDX-License-Identifier: MIT
// A shared library that holds the runtime, an operation and a kernel, each with its GPU code: what an extension of another
// program is.
#include "ck_tile/runtime/code_objects.hpp"
#include "ck_tile/runtime/device.hpp"
#include "tests/ck_tile/runtime/scale_add.hpp"

namespace
{
using program = ck_tile::scale_add_program<ck_tile::architecture::gfx942, 1>;
} // namespace

CK_TILE_KERNEL(halve_add, program)

// Halves `count` numbers on the CPU and adds 1; whether that worked.
extern "C" bool halve_on_host(float* x, int count)
{
    const auto dev = ck_tile::device::open("host:gfx942");
    return dev && dev->launch(halve_add, {static_cast<unsigned>(count + 1023) / 1024}, program::arguments{x, 1, count});
}

extern "C" int code_objects_inside() { return static_cast<int>(ck_tile::all_code_objects().size()); }
