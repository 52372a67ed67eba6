// SPDX-License-Identifier: MIT
// The softmax of each row of a matrix: y = exp(x - max) / sum of exp(x - max), in fp32.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

struct softmax_arguments
{
    const fp16* x; // [rows, columns]
    fp16* y;
    int rows, columns; // columns: a multiple of 8, at most 8192
};

template <architecture Arch>
struct softmax_program
{
    using arguments              = softmax_arguments;
    static constexpr auto arch   = Arch;
    static constexpr int threads = 256;
    static constexpr int wave    = facts(Arch).wave;

    // A row by all threads, in four vectors of 8 each.
    static constexpr distribution row = {.lengths = {1, 32 * threads},
                                         .wave    = {{threads / wave, 1, 8 * wave}},
                                         .lane    = {{wave, 1, 8}},
                                         .reg     = {{4, 1, 8 * threads}},
                                         .vec     = {{8, 1, 1}}};
    struct plan
    {
        lds_memory<reduce_partials<row, 1>> partials; // where waves combine what each of them has
    };
    static constexpr int lds_bytes = sizeof(plan);

    static grid blocks(const arguments& p) { return {unsigned(p.rows)}; }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        constexpr float log2_e      = 1.44269504f;
        constexpr float infinity    = __builtin_huge_valf();
        const multi_index<2> origin = {int(in.at.x), 0};
        const auto partials         = in.lds_at<&plan::partials>();

        const auto x   = load(make_window<row>(packed_view(p.x, p.rows, p.columns), origin), fp16(-infinity));
        const auto z   = map([](fp16 element) { return float(element) * log2_e; }, x);
        const auto top = reduce<1>(in, z, largest, partials);
        const auto e   = exp2(map([](float element, float most) { return element - most; }, z, top));
        const auto sum = reduce<1>(in, e, plus, partials);
        const auto one = map([](float all) { return 1 / all; }, sum);
        const auto y   = map([](float element, float by) { return fp16(element * by); }, e, one);
        store(make_window<row>(packed_view(p.y, p.rows, p.columns), origin), y);
    }
};

} // namespace tutorial
