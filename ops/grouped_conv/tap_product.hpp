// SPDX-License-Identifier: MIT
// Products of a filter's taps by a matrix instruction, of slices of 16 channels, each of which sees what whole groups have
// (channel_groups.hpp). What makes images is, tap by tap,
//
//   made [channel m, pixel n] += W [m, channel k] * seen [pixel n, k]
//
// and what makes weights W [channel m of Y, channel n of X] += dY [m, pixel k] * X [n, k], of which what lies in no group is 0, or not stored.
// So of 16 columns as many are of use as a group has channels; what a block reads from memory is all of use.
#pragma once

#include "ck_tile/targets/targets.hpp"
#include "ops/grouped_conv/region_grid.hpp"

#include <utility>

namespace ck_tile::conv::tap_product
{

inline constexpr int channels = 16; // of a product, on both sides
inline constexpr int width    = 8;  // pixels of a patch's row that one product takes

// Of operands in LDS: 8 x 8 pixels, which four waves make, of 32 or 64 channels on both sides.
namespace of_lds
{
inline constexpr int pixels = 64, waves = 4;
inline constexpr int run = 8, across = 4; // channels of a lane, side by side, and lanes beside each other
constexpr bool has(int channels) { return channels == 32 || channels == 64; }
} // namespace of_lds

// The instruction of 16 x 16 channels, or of 16 channels and 8 pixels; null: there is none.
constexpr const matrix_instruction* instruction(data_type type, const target& t)
{
    for(const matrix_instruction& i : matrix_instructions)
        if(i.type == type && i.operands == operand_source::registers && i.blocks == 1 && t.has(i.op) &&
           i.m == channels && i.k == channels)
            return &i;
    return nullptr;
}
// That of operands in LDS, of 64 pixels and so many channels.
constexpr const matrix_instruction* lds_instruction(data_type type, const target& t, int made)
{
    for(const matrix_instruction& i : matrix_instructions)
        if(i.type == type && i.operands == operand_source::lds && t.has(i.op) && i.m == of_lds::pixels && i.n == made)
            return &i;
    return nullptr;
}

// What each of `waves` waves has of an operand of so many rows: fragments one below the other.
constexpr distribution operand(const distribution& one, int waves, int rows)
{
    distribution d = packed_operand(one, 1);
    d.reg.push({rows / one.length(0), 0, one.length(0)});
    d.wave       = {{waves, 0, rows}};
    d.lengths[0] = rows * waves;
    return d;
}
// And of the product, of which a wave may have several fragments side by side.
constexpr distribution result(const matrix_instruction& i, int waves, int columns)
{
    return {.lengths = {i.m * waves, columns},
            .wave    = {{waves, 0, i.m}},
            .lane    = i.c.lane,
            .reg     = {{columns / i.n, 1, i.n}},
            .vec     = i.c.vec};
}

// The rows of a product that a lane has.
constexpr digit rows_of_lane(const matrix_instruction& i) { return i.c.vec.only(0).at[0]; }

// The channel that row m of a product is, so that those of a lane lie side by side.
template <digit OfLane>
CK_TILE_FN constexpr int channel_of_row(int m)
{
    return OfLane.stride == 1 ? m : m % OfLane.stride * OfLane.extent + m / OfLane.stride;
}

// How waves have [pixels of patches, channels] that are made: `across` slices of 16 channels side by side, patches one below the other. A
// lane has a few channels, side by side, of all rows of its columns of a patch. A product has every `classes`th pixel of a row.
constexpr distribution images(const matrix_instruction& i, int waves, int channels_of_block, patch p, int classes)
{
    const int across = channels_of_block / channels, down = waves / across, patches = i.n / width;
    const int own = rows_of_lane(i).extent, beside = i.c.vec.only(1).size();
    distribution d = {.lengths = {down * patches * p.pixels(), channels_of_block},
                      .wave    = {{across, 1, channels}, {down, 0, patches * p.pixels()}},
                      .lane    = {},
                      .reg     = {{beside * classes, 0, 1}, {p.rows, 0, p.cols}},
                      .vec     = {{own, 1, 1}}};
    for(int l = 0; l < i.c.lane.count; ++l)
        if(const digit lane = i.c.lane.at[l]; lane.moves_along(0))
            d.lane.push({lane.extent, 1, own});
        else // pixels of one patch, and of the next one
            d.lane.push({width / lane.stride, 0, lane.stride * classes})
                .push({lane.extent * lane.stride / width, 0, p.pixels()});
    return d;
}

// The same of operands in LDS, four waves a patch of so many rows of 8 x 8 pixels: lanes have a run of each 32 channels, of pixels of two rows of each.
constexpr distribution images_of_lds(int waves, int fragments, int channels_of_block)
{
    constexpr int pixels = of_lds::pixels, run = of_lds::run, across = of_lds::across;
    return {.lengths = {waves / of_lds::waves * fragments * pixels, channels_of_block},
            .wave    = {{of_lds::waves, 0, pixels / of_lds::waves}, {waves / of_lds::waves, 0, fragments * pixels}},
            .lane    = {{across, 1, run}, {width, 0, 1}},
            .reg     = {{2, 0, width}, {fragments, 0, pixels}, {channels_of_block / (across * run), 1, across * run}},
            .vec     = {{run, 1, 1}}};
}
// The channel that column n of such a product is, so that those that a lane has lie side by side, run by run: its `number`th one.
CK_TILE_FN constexpr int channel_of_column(int n)
{
    using of_lds::run, of_lds::across;
    const int lane = n / 2 % across, number = n / (2 * across) * 2 + n % 2;
    return number / run * (across * run) + lane * run + number % run;
}

// Sums of waves for some taps, [wave below, (slice, tap, channel of Y, channel of X)].
constexpr distribution weights(const matrix_instruction& i, int waves, int across, int taps)
{
    distribution d = {.lengths = {waves / across, across * taps * channels * channels},
                      .wave    = {{across, 1, taps * channels * channels}, {waves / across, 0, 1}},
                      .lane    = {},
                      .reg     = {{channels / i.n, 1, i.n}, {taps, 1, channels * channels}},
                      .vec     = {}};
    for(const auto& [from, to] : {std::pair{&i.c.lane, &d.lane}, {&i.c.vec, &d.vec}})
        for(int l = 0; l < from->count; ++l)
            to->push({from->at[l].extent, 1, from->at[l].stride * (from->at[l].moves_along(0) ? channels : 1)});
    return d;
}

// The pixel of two rows of patches, 8 of each, that is column k of an operand which is read across its rows: those that an instruction for
// such reads takes at once lie side by side.
constexpr int pixel_of_column(int k) { return k / 4 * 2 + k % 2 + k / 2 % 2 * width; }

// The taps of a filter, whose rows are `cols` long, as products take them: `taps` neighbours of a row each.
struct filter_products
{
    int cols, taps;

    CK_TILE_FN constexpr int of_row() const { return ceil_div(cols, taps); }
    // The `nth` tap of a product; -1: behind the last one of its row.
    CK_TILE_FN constexpr int tap(int product, int nth) const
    {
        if(taps == 1)
            return product;
        const int row = product / of_row(), x = (product - row * of_row()) * taps + nth;
        return x < cols ? row * cols + x : -1;
    }
};

// Registers of a lane, more or less, for weights and sums of taps and of the pixels of a column of a patch.
constexpr int registers(const matrix_instruction& i, direction made, int taps, int pixels)
{
    const int operand = i.a.regs() * i.a.vecs() * bytes_of(i.type) / 4, sums = i.c.vecs();
    return made == direction::backward_weight ? taps * sums * (channels / i.n) + pixels * operand
                                              : taps * operand + pixels * sums;
}

} // namespace ck_tile::conv::tap_product
