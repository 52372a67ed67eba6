// SPDX-License-Identifier: MIT
// A matrix transposed through LDS: both its rows and its columns move in vectors of 16 bytes.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

struct transpose_arguments
{
    const fp16* x;     // [rows, columns]
    fp16* y;           // [columns, rows]
    int rows, columns; // multiples of 8
};

template <architecture Arch>
struct transpose_program
{
    using arguments              = transpose_arguments;
    static constexpr auto arch   = Arch;
    static constexpr int threads = 256;
    static constexpr int wave    = facts(Arch).wave;
    static constexpr int down    = wave / 8; // lanes, and 8 across

    // A tile of X, 64 x 64, as it is loaded, in vectors along rows; and as it is stored, in vectors along columns.
    static constexpr distribution loaded = {.lengths = {64, 64},
                                            .wave    = {{threads / wave, 0, down}},
                                            .lane    = {{8, 1, 8}, {down, 0, 1}},
                                            .reg     = {{2, 0, 32}},
                                            .vec     = {{8, 1, 1}}};
    static constexpr distribution stored = {.lengths = {64, 64},
                                            .wave    = {{threads / wave, 1, down}},
                                            .lane    = {{8, 0, 8}, {down, 1, 1}},
                                            .reg     = {{2, 1, 32}},
                                            .vec     = {{8, 0, 1}}};

    // Chunks of 16 bytes are permuted so that neither way has two lanes at one bank at once.
    static constexpr lds_layout layout = free_of_conflicts(64, 64, sizeof(fp16), loaded, stored);
    struct plan
    {
        lds_memory<lds_tile<fp16, layout>> between;
    };
    static constexpr int lds_bytes = sizeof(plan);

    static grid blocks(const arguments& p)
    {
        return {unsigned(ceil_div(p.columns, 64)), unsigned(ceil_div(p.rows, 64))};
    }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const multi_index<2> origin = {int(in.at.y) * 64, int(in.at.x) * 64};
        const tensor_view across{p.y, std::int64_t(p.rows) * p.columns, // Y, by the coordinates of X
                                 strided<2>{{p.rows, p.columns}, {1, p.rows}}};
        const auto between = in.lds_at<&plan::between>();

        store(between, load(make_window<loaded>(packed_view(p.x, p.rows, p.columns), origin)));
        in.sync();
        store(make_window<stored>(across, origin), load<stored>(between));
    }
};

} // namespace tutorial
