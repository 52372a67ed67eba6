// SPDX-License-Identifier: MIT
// A program that asks for more LDS than a block of its architecture can have.
// expect: program: more LDS than a block can have
#include "ck_tile/targets/block.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 65536 + CK_TILE_BROKEN;
    struct arguments
    {};
    static void run(const block&, const arguments&) {}
};

CK_TILE_KERNEL(too_large, program)
