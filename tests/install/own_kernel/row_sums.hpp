// SPDX-License-Identifier: MIT
// The sums of the rows of a matrix, 16 rows of up to 256 columns per block.
#pragma once

#include <ck_tile/ck_tile.hpp>

struct row_sums_program
{
    static constexpr auto arch = ck_tile::architecture::gfx942;

    // A wave owns 4 rows; its lanes stand side by side in a row, each with 4 columns.
    static constexpr ck_tile::distribution held = {
        .lengths = {16, 256}, .wave = {{4, 0, 4}}, .lane = {{64, 1, 4}}, .reg = {{4, 0, 1}}, .vec = {{4, 1, 1}}};
    static constexpr int threads   = held.threads();
    static constexpr int lds_bytes = ck_tile::reduce_lds_bytes<held, float>(1);

    struct arguments
    {
        const float* matrix;
        float* sums;
        int rows, columns; // columns: a multiple of 4, at most 256
    };

    static CK_TILE_FN void run(const ck_tile::block& b, const arguments& a)
    {
        using namespace ck_tile;
        const multi_index<2> origin = {int(b.at.x) * held.length(0), 0};

        const auto x    = load(make_window<held>(packed_view(a.matrix, a.rows, a.columns), origin));
        const auto sums = reduce<1>(b, x, [](float left, float right) { return left + right; });
        store(make_window<decltype(sums)::layout>(packed_view(a.sums, a.rows, 1), origin), sums);
    }
};
