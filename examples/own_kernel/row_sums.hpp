// SPDX-License-Identifier: MIT
// The sums of a matrix's rows.
#pragma once

#include <ck_tile/ck_tile.hpp>

namespace own
{

using namespace ck_tile;

struct row_sums_arguments
{
    const fp16* x; // [rows, columns]
    float* y;      // [rows]
    int rows, columns;
};

template <architecture Arch>
struct row_sums_program
{
    using arguments                    = row_sums_arguments;
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;

    // 16 rows: a wave has four of them, and its lanes stand side by side in a row.
    static constexpr distribution some = {
        .lengths = {16, wave}, .wave = {{4, 0, 4}}, .lane = {{wave, 1, 1}}, .reg = {{4, 0, 1}}, .vec = {}};
    static constexpr int threads = some.threads(), lds_bytes = 0;

    static grid blocks(const arguments& p) { return {unsigned(ceil_div(p.rows, some.length(0)))}; }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const multi_index<2> first = {int(in.at.x) * some.length(0), 0};

        auto window = make_window<some>(packed_view(p.x, p.rows, p.columns), first);
        auto sums   = fill<float, some>(0);
        for(int column = 0; column < p.columns; column += wave)
        {
            sums = map([](float sum, fp16 x) { return sum + float(x); }, sums, load(window));
            window.move(window.template step<1>(wave));
        }
        const auto y = reduce<1>(in, sums, plus); // in each wave
        store(make_window<reduced<some, 1>>(packed_view(p.y, p.rows, 1), first), y);
    }
};

} // namespace own
