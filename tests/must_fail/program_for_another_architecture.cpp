// SPDX-License-Identifier: MIT
// A program made for gfx942 and compiled for gfx90a.
// expect: program: made for another architecture than --offload-arch says
// flags: -x hip --cuda-device-only -nogpulib -nogpuinc -include cstdlib
// flags when right: --offload-arch=gfx942
// flags when broken: --offload-arch=gfx90a
#include "ck_tile/targets/block.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    struct arguments
    {};
    static CK_TILE_FN void run(const block&, const arguments&) {}
};

CK_TILE_KERNEL(made_for_gfx942, program)
