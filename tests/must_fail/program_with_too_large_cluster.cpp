// SPDX-License-Identifier: MIT
// A program whose blocks want a cluster, on an architecture that has none.
// expect: program: more workgroups than a cluster can have
#include "ck_tile/targets/block.hpp"

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr int cluster       = 1 + CK_TILE_BROKEN;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    struct arguments
    {};
    static void run(const block&, const arguments&) {}
};

CK_TILE_KERNEL(shared_by_too_many, program)
