// SPDX-License-Identifier: MIT
// Products of squares, of 8 pixels of a row and 8 channels, by a matrix instruction of 8 columns: square_images.hpp and square_weights.hpp.
#pragma once

#include "ck_tile/targets/matrix.hpp"
#include "ops/grouped_conv/depthwise.hpp"

namespace ck_tile::conv
{

namespace square_product
{
// Of a product: pixels, of two rows that are so wide, channels, and taps of a row of the filter.
inline constexpr int pixels = 16, width = 8, channels = 8, taps = 2;

// Slices of 8 channels that one of Y sees, of groups that have so many channels, or a divisor of them; and weights of a tap and a channel of Y in LDS: of all
// channels of these slices, 0 of other groups, but where a group has one.
constexpr int slices_seen(int group) { return ceil_div(group, channels); }
constexpr int weights_of_tap(int group) { return group == 1 ? 1 : slices_seen(group) * channels; }

// The instruction for so many taps; null: there is none.
constexpr const matrix_instruction* instruction(data_type type, const target& t, int of_taps)
{
    for(const matrix_instruction& i : matrix_instructions)
        if(i.type == type && i.m == pixels && i.n == channels && i.k == of_taps * channels &&
           i.operands == operand_source::registers && t.has(i.op))
            return &i;
    return nullptr;
}
constexpr bool exists(data_type type, const target& t)
{
    return instruction(type, t, taps) != nullptr && instruction(type, t, 1) != nullptr;
}
// How `waves` waves share [rows, channels] of sums: each has slices of 8 channels, so many or a multiple, of all rows, or, where there are not as many,
// of some rows. A lane has two channels of each, of pixels of a column of patches.
constexpr distribution rows(int waves, int rows, int of_channels, patch c, int together = 1)
{
    const int slices = of_channels / channels, own = slices < waves * together ? together : slices / waves;
    const int across = of_channels / (channels * own), of_wave = rows * across / waves,
              of_patch = of_wave < c.pixels() ? of_wave : c.pixels();
    return {.lengths = {rows, of_channels},
            .wave    = {{across, 1, channels * own}, {waves / across, 0, of_wave}},
            .lane    = layouts::mma_result.lane,
            .reg     = {{of_patch / width, 0, width}, {of_wave / of_patch, 0, of_patch}, {own, 1, channels}},
            .vec     = {{2, 1, 1}}};
}
// The operands of one product of each wave: a lane has two channels of each tap.
constexpr distribution operand(int waves, int rows, int of_taps)
{
    return {.lengths = {rows, channels * of_taps * waves},
            .wave    = {{waves, 1, channels * of_taps}},
            .lane    = {{4, 1, 2 * of_taps}, {8, 0, 1}},
            .reg     = {{rows / 8, 0, 8}},
            .vec     = {{2 * of_taps, 1, 1}}};
}
constexpr distribution sums(int waves)
{
    return {.lengths = {pixels, channels * waves},
            .wave    = {{waves, 1, channels}},
            .lane    = layouts::mma_result.lane,
            .reg     = {},
            .vec     = layouts::mma_result.vec};
}
} // namespace square_product

} // namespace ck_tile::conv
