// SPDX-License-Identifier: MIT
// A copy: the least that a kernel can do.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

struct copy_arguments
{
    const fp16* x;
    fp16* y;
    int count; // a multiple of 8
};

template <architecture Arch>
struct copy_program
{
    using arguments                = copy_arguments;
    static constexpr auto arch     = Arch;
    static constexpr int threads   = 256;
    static constexpr int lds_bytes = 0;
    static constexpr int wave      = facts(Arch).wave;

    // Of 8192 elements, each thread has four vectors of 8: the lanes of a wave stand side by side, then the waves, then the vectors.
    static constexpr distribution held = {.lengths = {32 * threads},
                                          .wave    = {{threads / wave, 0, 8 * wave}},
                                          .lane    = {{wave, 0, 8}},
                                          .reg     = {{4, 0, 8 * threads}},
                                          .vec     = {{8, 0, 1}}};

    static grid blocks(const arguments& p) { return {unsigned(ceil_div(p.count, held.length(0)))}; }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const multi_index<1> origin = {int(in.at.x) * held.length(0)};
        const auto x                = load(make_window<held>(packed_view(p.x, p.count), origin));
        store(make_window<held>(packed_view(p.y, p.count), origin), x);
    }
};

} // namespace tutorial
