// SPDX-License-Identifier: MIT
// A program whose arguments own something, which a copy of their bytes would not.
// expect: program: arguments must be trivially copyable, as a launch copies their bytes to the device
#include "ck_tile/targets/block.hpp"

#include <array>
#include <vector>

using namespace ck_tile;

struct program
{
    static constexpr architecture arch = architecture::gfx942;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    struct arguments
    {
        std::conditional_t<CK_TILE_BROKEN, std::vector<int>, std::array<int, 4>> strides;
    };
    static void run(const block&, const arguments&) {}
};

CK_TILE_KERNEL(owns_something, program)
