// SPDX-License-Identifier: MIT
// What the configurations of convolutions of few channels per group have, of any direction, and what makes one legal.
//
// A block has some channels, and makes one region after the other of its share: what the windows of a region see comes to LDS while it
// computes the one before.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ck_tile/verbs/box_copy.hpp"
#include "ops/grouped_conv/depthwise.hpp"
#include "ops/grouped_conv/hankel.hpp"
#include "ops/grouped_conv/square_product.hpp"
#include "ops/grouped_conv/tap_product.hpp"
#include "ops/grouped_conv/toeplitz.hpp"

namespace ck_tile::conv
{

// Where matrix instructions take what is seen from: registers, of lines that threads have copied to LDS; LDS, as it lies there; or registers, as squares
// of 8 pixels and 8 channels, of boxes that the copy engine brings.
enum class operands_from
{
    registers,
    lds,
    squares
};

} // namespace ck_tile::conv

template <>
struct ck_tile::enumerators<ck_tile::conv::operands_from>
{
    using enum conv::operands_from;
    static constexpr const char* type                      = "conv::operands_from";
    static constexpr enumerator<conv::operands_from> all[] = {
        {registers, "registers"}, {lds, "lds"}, {squares, "squares"}};
};

namespace ck_tile::conv
{

// Of a direction: what LDS holds differs.
template <direction Made>
struct narrow_config
{
    static constexpr direction made = Made;

    architecture arch;
    data_type type;
    // Channels of a group, of X and of Y: 1, by multiply-adds, pairs of taps or rows of the filter; 16 or a divisor of it, 32 or 64, by taps; as squares, 8
    // or 16 or a divisor of these.
    int group;
    int channels; // of a block
    int waves;
    known_window window;
    conv::patch patch; // of pixels that a thread, or a wave, computes, or, backward weight, multiplies
    int halo;          // pixels that LDS holds for a region, at most
    int stages = 2;    // such halos in LDS
    int planes = 1;    // of the filter, at most; of 1, images have no third dimension
    // Neighbours in a row of the filter that one product takes: if several, X has one group, of 16 / taps channels at most; or, of groups of 1
    // channel, 2, as diagonals of squares (square_product.hpp), or more, the row as an operand, so long at most (toeplitz.hpp, hankel.hpp).
    int taps               = 1;
    operands_from operands = operands_from::registers;

    constexpr bool makes_weights() const { return Made == direction::backward_weight; }
    constexpr bool by_matrix() const { return group > 1 && !by_squares(); }
    constexpr bool by_lds() const { return operands == operands_from::lds; }
    // Pairs of taps of groups of 1 channel are diagonals of squares.
    constexpr bool by_squares() const { return operands == operands_from::squares || (group == 1 && taps == 2); }
    // Slices of 8 channels that a square's channels see; and those of Y that a wave makes weights of.
    constexpr int slices_seen() const { return square_product::slices_seen(group); }
    constexpr int slices_of_wave() const { return channels_of_wave() / square_product::channels; }
    constexpr bool by_rows() const { return group == 1 && taps > 2; } // of the filter
    constexpr bool weights_by_rows() const { return by_rows() && makes_weights(); }
    constexpr bool of_few() const
    {
        return by_matrix() && taps > 1;
    } // channels of X, of which a thread copies all of a pixel
    constexpr data_type dtype() const { return type; }
    constexpr int lanes() const { return facts(arch).wave; }
    constexpr int threads() const { return waves * lanes(); }
    constexpr int vector() const { return 16 / bytes_of(type); }                    // elements that one copy moves
    constexpr int own() const { return by_rows() ? vector() : 4 / bytes_of(type); } // channels of a thread
    constexpr const matrix_instruction& instruction() const
    {
        return by_lds() ? *tap_product::lds_instruction(type, facts(arch), channels)
                        : *tap_product::instruction(type, facts(arch));
    }
    // Of operands in LDS: a tap's product.
    constexpr gemm::shape product() const
    {
        return {patch.pixels() * down(), instruction().n, slice_columns(), waves, 1, instruction().op};
    }
    constexpr int pixels() const { return patches() * patch.pixels(); } // of a region, at most

    // Channels of a pixel in LDS, of which those of `taps` neighbours are the columns of a product; and the window in products.
    constexpr int halo_channels() const { return of_few() ? tap_product::channels / taps : channels; }
    constexpr known_window products() const
    {
        return {window.rows, window.any() || by_squares() ? window.cols : ceil_div(window.cols, taps), window.stride};
    }
    // Of a filter's row as a Toeplitz matrix: products, one after the other; the stride along it at most, which is 1 where products side by side
    // share what they see; and elements of LDS for each copy.
    constexpr int row_steps() const { return ceil_div(taps + tap_product::channels - 1, tap_product::channels); }
    constexpr int row_stride() const
    {
        return patch.cols > tap_product::channels ? 1 : 1 + (taps - 3) / tap_product::channels;
    }
    constexpr int filter_line() const
    {
        const int beyond = (tap_product::channels - 1) * row_stride(), copies = toeplitz::filter_copies(instruction());
        return row_steps() * tap_product::channels + beyond / copies * copies;
    }

    // And where they make weights: columns of products, rows of the filter; and channels of a wave.
    constexpr int filter_rows() const { return ceil_div(window.cols, instruction().n) * instruction().n; }
    constexpr int channels_of_wave() const { return channels / waves; }

    constexpr int stride() const { return window.any() ? 1 : window.stride; } // of any window, at least
    // Neighbours along a row of dX that windows meet through different taps.
    constexpr int classes() const { return Made == direction::backward_data ? stride() : 1; }
    // And of pixels of a row of the halo, that lie in LDS one after the other: lanes of a product, which see neighbours or every second pixel, meet
    // different banks then.
    constexpr int halo_classes() const
    {
        return by_matrix() && taps == 1 && Made != direction::backward_data && window.stride == 2 ? 2 : 1;
    }
    // By matrix instructions: waves side by side, which have slices of channels, and one below the other, which have patches.
    constexpr int across() const { return by_lds() ? 1 : channels / (by_rows() ? own() : tap_product::channels); }
    // Columns of a block in slices, each of which sees what whole groups have: of a product, or all of the block.
    constexpr int slice_columns() const { return by_matrix() && !by_lds() ? tap_product::channels : channels; }
    // Whether groups may have more channels on one side than on the other: not where a thread takes neighbours as they lie. Forward, threads of
    // several channels could look up each of those that they see, but matrix instructions are twice as fast at any multiplier.
    constexpr bool takes_multipliers() const
    {
        return by_matrix() || (by_rows() ? Made == direction::forward
                                         : own() == 1 || (window.any() && Made == direction::backward_data));
    }
    constexpr int group_slices() const { return ceil_div(group, slice_columns()); } // slices of a group
    constexpr int down() const { return waves / (by_lds() ? instruction().waves : across()); }
    // Patches that a block computes at once, and those of a region: that it has at once, or as its halo has at most.
    constexpr int patches_at_once() const
    {
        if(by_squares())
            return 1;
        if(by_rows())
            return makes_weights() ? 1 : down();
        if(!by_matrix())
            return threads() / (channels / own());
        if(by_lds())
            return down();
        return down() * (makes_weights() ? tap_product::channels : instruction().n) / tap_product::width;
    }
    constexpr int patches() const
    {
        if(!by_matrix() && !by_rows())
            return patches_at_once();
        int most = patches_at_once();
        for(int across = 1; halo_along(1, across) <= halo; ++across)
        {
            int down = 0;
            while(halo_along(0, down + 1) * halo_along(1, across) <= halo)
                ++down;
            if(across * down > most)
                most = across * down;
        }
        return most;
    }
    // Pixels of a halo along a dimension that so many patches see; of any window, at least.
    constexpr int halo_along(int d, int patches) const
    {
        const int filter = d == 0 ? window.rows : of_few() ? products().cols * taps : window.cols;
        return lines_seen(Made, patches * (d == 0 ? patch.rows : patch.cols), window.any() ? 1 : filter, stride());
    }

    // How threads copy `rows` pixels to LDS, a multiple of rows_at_once().
    constexpr int rows_at_once() const { return threads() / (channels / vector()); }
    constexpr int halo_at_once() const
    {
        return of_few() ? threads() : by_squares() ? 8 : by_rows() ? rows_at_once() * row_product::run : rows_at_once();
    }
    // Pixels, of which a row of the halo is an odd number long where channels are planes.
    constexpr int row_run() const { return by_rows() ? row_product::row_run(instruction()) : 1; }
    constexpr distribution copied(int rows) const
    {
        const int across = channels / vector(), down = lanes() / across;
        return {.lengths = {rows, channels},
                .wave    = {{waves, 0, down}},
                .lane    = {{across, 1, vector()}, {down, 0, 1}},
                .reg     = {{rows / rows_at_once(), 0, rows_at_once()}},
                .vec     = {{vector(), 1, 1}}};
    }
    // Channels of which are planes in LDS: a thread has neighbours, which it stores there at once.
    constexpr distribution copied_to_planes() const
    {
        const int across = channels / vector(), down = lanes() / across;
        return {.lengths = {halo, channels},
                .wave    = {{waves, 0, row_product::run * down}},
                .lane    = {{down, 0, row_product::run}, {across, 1, vector()}},
                .reg     = {{row_product::run, 0, 1}, {halo / halo_at_once(), 0, halo_at_once()}},
                .vec     = {{vector(), 1, 1}}};
    }
    // Of a few channels, which are no vector in memory, a thread has all of a pixel.
    constexpr distribution halo_copy() const
    {
        if(by_rows())
            return copied_to_planes();
        if(!of_few())
            return copied(halo);
        return {.lengths = {halo, halo_channels()},
                .wave    = {{waves, 0, lanes()}},
                .lane    = {{lanes(), 0, 1}},
                .reg     = {{halo_channels(), 1, 1}, {halo / threads(), 0, threads()}},
                .vec     = {{1, 1, 1}}};
    }
    // The region's own pixels, where they are copied too; by rows, fewer than those of the halo.
    constexpr distribution pixel_copy() const
    {
        return by_rows() ? copied_to_planes() : copied(ceil_div(pixels(), rows_at_once()) * rows_at_once());
    }
    // Pixels that are computed at once, as threads compute them; and of a patch those that a thread has.
    constexpr distribution rows() const
    {
        if(by_squares())
            return square_product::rows(waves, patch.pixels(), channels, patch, slices_seen());
        return by_rows()     ? toeplitz::images(instruction(), waves, channels, own(), patch)
               : by_lds()    ? tap_product::images_of_lds(waves, product().row_fragments(), channels)
               : by_matrix() ? tap_product::images(instruction(), waves, channels, patch, classes())
                             : depthwise_rows(waves, lanes(), pixels(), channels, own());
    }
    constexpr conv::patch own_patch() const
    {
        if(!by_matrix() && !by_rows())
            return patch;
        if(by_lds())
            return {rows().regs(), 1};
        const int cols = by_matrix() ? rows().regs() / patch.rows
                                     : patch.cols / instruction().m * tap_product::rows_of_lane(instruction()).extent;
        return {rows().regs() / cols, cols};
    }

    // Pixels in LDS, so far apart that lanes meet different banks: an odd number of 16 bytes, or, for operands of which neighbours have 32 bytes
    // of a pixel together, of these. Of multiply-adds, lanes that have patches side by side see pixels of theirs so many apart: where that is an odd
    // number, or a wave has all lanes on one pixel, pixels lie side by side, as they do where copies stop in registers. Sectors of 32 bytes come at
    // once where they end as one, which those of every second pixel an odd number of 16 bytes apart do not.
    constexpr int pad() const
    {
        if(!by_matrix())
        {
            const int pixels        = patch.cols * (Made == direction::backward_data ? 1 : stride());
            const bool side_by_side = pixels % 2 != 0 || channels / own() == lanes();
            return facts(arch).copy_to_lds == lds_copy::bytes_16_async && !side_by_side ? vector() : 0;
        }
        const bool together = !makes_weights() && instruction().b.lane.at[0].moves_along(1);
        return !together ? vector() : across() % 2 == 0 ? 2 * vector() : 0;
    }
    constexpr lds_layout lines(int rows) const { return {.rows = rows, .cols = channels, .pad = pad()}; }
    constexpr lds_layout halo_layout() const
    {
        if(by_lds() || by_squares())
            return swizzled_rows(halo, channels);
        if(by_rows())
            return {.rows = channels, .cols = halo};
        return of_few() ? lds_layout{.rows = halo, .cols = halo_channels()} : lines(halo);
    }
    // By squares, images go through LDS: one region's behind another's.
    constexpr lds_layout images_layout() const { return swizzled_rows(patch.pixels(), channels); }
    constexpr int images_at() const { return stages * stage_bytes(); }
    constexpr lds_layout pixel_layout() const
    {
        return by_squares() ? images_layout() : by_rows() ? halo_layout() : lines(pixel_copy().lengths[0]);
    }
    constexpr int halo_bytes() const
    {
        // Products see what is behind the last row, times 0.
        const int beyond = by_rows() && !makes_weights() ? row_steps() * tap_product::channels : 0;
        return (halo_layout().elements() + beyond) * bytes_of(type);
    }
    constexpr int pixel_bytes() const
    {
        return (pixel_layout().elements() + (by_rows() ? hankel::zeros : 0)) * bytes_of(type);
    }
    constexpr int zeros_at() const { return stage_bytes() - hankel::zeros * bytes_of(type); }
    // Backward weight, dY is beside the halo of X.
    constexpr int stage_bytes() const { return halo_bytes() + (makes_weights() ? pixel_bytes() : 0); }

    // Sums of a thread for `taps` taps, [thread's patch, tap x channel]; or of a wave, [wave, tap x channel of Y x channel of X].
    constexpr distribution sums(int taps) const
    {
        if(by_matrix())
            return tap_product::weights(instruction(), waves, across(), taps);
        if(by_squares())
        {
            const int channels = square_product::channels, rows = square_product::pixels; // of two taps
            return {.lengths = {1, waves * rows * channels},
                    .wave    = {{waves, 1, rows * channels}},
                    .lane    = {{channels / 2, 1, 2}, {channels, 1, channels}},
                    .reg     = {{rows / channels, 1, channels * channels}},
                    .vec     = {{2, 1, 1}}};
        }
        if(by_rows())
            return hankel::sums(instruction(), waves, channels_of_wave(), filter_rows());
        const int across = channels / own(), down = lanes() / across;
        return {.lengths = {waves * down, taps * channels},
                .wave    = {{waves, 0, down}},
                .lane    = {{across, 1, own()}, {down, 0, 1}},
                .reg     = {{taps, 1, channels}},
                .vec     = {{own(), 1, 1}}};
    }

    // Of the filter, taps or, by matrix instructions, products whose sums are added up at once.
    constexpr int products_at_once() const
    {
        return by_rows() || by_squares() ? 1
               : !window.any()           ? products().cols
               : !by_matrix()            ? 8
               : window.taps() % 3 == 0  ? 3
                                         : 2;
    }

    // Those of a block, backward weight, at most.
    constexpr int most_products() const
    {
        return by_squares() ? slices_of_wave() * ceil_div(window.taps() * slices_seen(), square_product::taps)
               : by_rows()  ? taps / tap_product::channels
                            : products().taps();
    }

    constexpr bool deep() const { return planes > 1; }
    // Taps of a filter at most, of all its planes.
    constexpr int most_taps() const { return window.any() ? window.taps() : planes * window.taps(); }
    // Behind the stages, what registers do not hold of weights: as fp32, with biases; or, of any window by matrix instructions, as operands.
    // Backward weight, sums of waves are added up where stages were.
    constexpr int weights_at() const
    {
        return images_at() + (by_squares() && !makes_weights() ? 2 * images_layout().elements() * bytes_of(type) : 0);
    }
    constexpr int operand_bytes() const // of a tap and a slice of channels
    {
        return instruction().a.regs() * instruction().a.vecs() * bytes_of(type) * lanes();
    }
    constexpr int weight_bytes() const
    {
        if(by_squares())
            return makes_weights()
                       ? 0
                       : channels * (window.taps() * square_product::weights_of_tap(group) + 1) * bytes_of(type);
        if(by_rows())
            return channels *
                   (window.cols * toeplitz::filter_copies(instruction()) * filter_line() * bytes_of(type) + 4);
        if(!by_matrix())
            return (most_taps() + 1) * channels * 4;
        if(by_lds())
            return most_taps() * swizzled_rows(channels, channels).elements() * bytes_of(type);
        return window.any() ? window.taps() * group_slices() * across() * operand_bytes() : 0;
    }
    constexpr int barriers_at() const { return weights_at() + weight_bytes(); }
    constexpr int lds_bytes() const
    {
        if(by_squares())
            return barriers_at() + stages * box_barrier<1, 1>::bytes;
        if(!makes_weights())
            return weights_at() + weight_bytes();
        const int added = sums(products_at_once()).threads() * sums(products_at_once()).regs() * sums(1).vecs() * 4;
        return added > weights_at() ? added : weights_at();
    }

    // Registers of a lane, more or less: those of a patch, or of sums of all taps, beside a row of the halo.
    constexpr int registers_used() const
    {
        if(by_squares() && makes_weights())
            return 40 + 4 * most_products() + (window.rows + stride()) * window.cols * slices_seen();
        if(by_squares())
        {
            const int slices = rows().reg.only(1).size(), rows_of_wave = rows().regs() / slices;
            return 48 + slices * (window.taps() * slices_seen() + window.rows / 2 + 4 + 3 * rows_of_wave);
        }
        if(weights_by_rows())
            return 48 + channels_of_wave() * most_products() * filter_rows() * instruction().m / lanes() +
                   2 * halo_copy().regs() * vector() * bytes_of(type) / 4;
        if(by_rows())
            return 48 + patch.pixels() / lanes() * (own() * bytes_of(type) / 4 + 1) + 4 * row_steps() +
                   halo_copy().regs() * vector() * bytes_of(type) / 4;
        if(by_lds())
            return registers();
        if(by_matrix())
            return 64 + tap_product::registers(instruction(), Made,
                                               window.any() && !makes_weights() ? 1 : products().taps(),
                                               patch.rows * classes());
        const int row = window.any() ? 2 : lines_seen(Made, patch.cols, window.cols, window.stride);
        return 48 + own() * (patch.pixels() + row + (makes_weights() ? window.taps() : window.cols));
    }
    // Of a lane at most, so that as many waves hide the latency of each other's products, or, of operands in LDS, that as many blocks run at once as
    // LDS has room for; 0 leaves it to the compiler.
    constexpr int registers() const
    {
        constexpr int most = 128, most_of_instruction = 255;
        if(by_lds() || by_squares())
        {
            const int at_once = by_lds() ? blocks_in_lds(facts(arch)) : blocks_at_once(facts(arch)),
                      share   = facts(arch).compute_unit_registers / (threads() * at_once);
            return share < most_of_instruction ? share : most_of_instruction;
        }
        return (by_matrix() || by_rows()) && (!makes_weights() || registers_used() <= most) ? most : 0;
    }
    // Blocks that LDS has room for, more or less.
    constexpr int blocks_in_lds(const target& t) const
    {
        const int fit = t.lds_bytes / (lds_bytes() + 1024);
        return fit < 1 ? 1 : fit;
    }
    // Those that run on a compute unit at once: that registers suffice for, too.
    constexpr int blocks_at_once(const target& t) const
    {
        const int by_lds = blocks_in_lds(t), by_registers = t.compute_unit_registers / (threads() * registers_used());
        const int fit = by_lds < by_registers ? by_lds : by_registers;
        return fit < 1 ? 1 : fit;
    }
    // And those of them that a launch has. Blocks of neighbouring channels share lines of memory, and those of neighbouring regions what is between:
    // L2 has these once if their boxes come at about the same time. Where copies wait for memory blocks drift apart, the further the more is on its
    // way. Those that make images are not fewer: one has more waves and stages instead, where that helps.
    constexpr int blocks_wanted(const target& t) const
    {
        constexpr int on_its_way = 112 * 1024; // bytes, of a compute unit
        const int fit = blocks_at_once(t), wanted = on_its_way / (stages * stage_bytes());
        if(!by_squares() || !makes_weights() || fit < wanted)
            return fit;
        return wanted < 1 ? 1 : wanted;
    }
};

constexpr violation check_window(const known_window& w)
{
    constexpr int most = 64, most_of_any = 1024;
    for(const int length : {w.rows, w.any() ? 0 : w.cols, w.stride})
        if(length < 0 || length > most)
            return {"a window that the compiler knows must have 64 taps and strides at most", length,
                    "use a smaller one"};
    if(!w.any() && w.taps() > most)
        return {"a window that the compiler knows must have 64 taps at most", w.taps(), "use a smaller one"};
    if((w.rows == 0) != (w.stride == 0) || (!w.any() && w.cols == 0))
        return {"the compiler must know filter and stride, or none of them", w.stride,
                "use 0 for rows and stride, or for neither"};
    if(w.any() && (w.cols < 0 || w.cols > most_of_any))
        return {"any window must have 1024 taps at most, as its columns say", w.cols, "use 0 columns, for 64"};
    return {};
}

// Of a patch that sees so many rows and columns of pixels.
constexpr violation check_halo(int halo, int rows, int cols)
{
    if(rows > halo / cols)
        return {"the rows of pixels that a patch sees must fit the halo", rows, "use a larger halo or a smaller patch"};
    return {};
}

// What those by matrix instructions must have beside.
template <direction Made>
constexpr violation check_tap_product(const narrow_config<Made>& c, const target& t)
{
    if(tap_product::instruction(c.type, t) == nullptr)
        return {"groups of several channels must be of a type that matrix instructions of 16 x 16 channels have",
                name_of(c.type), "choose fp16 or bf16"};
    constexpr int most = 14;
    if((!c.window.any() || c.makes_weights()) && c.products().taps() > most)
        return {"registers hold the weights or sums of 14 products at most, of a tap each, or of several of a row",
                c.products().taps(), "use a window of 3x3, or any of 9 taps at once"};
    if(const int apart = c.stride() * c.halo_channels() * bytes_of(c.type);
       c.makes_weights() && !c.window.any() && apart % 16 != 0)
        return {"pixels of which weights are made must see pixels of X that are a multiple of 16 bytes apart", apart,
                "use 2 taps, or an even stride"};
    if(c.patch.rows > 16 || c.patch.cols != tap_product::width * c.classes())
        return {"patches must be 8 pixels wide, or of dX 8 times the stride, and 16 high at most", c.patch.cols,
                "use 8 columns"};
    if(c.group_slices() > 1 && (!c.window.any() || c.makes_weights() || c.channels % c.group != 0))
        return {"groups of several slices of 16 channels are computed of any window, forward or to dX, by blocks of "
                "whole groups",
                c.channels, "use a window of 0 rows, and channels that are a multiple of 32"};
    if(c.channels % tap_product::channels != 0 || c.waves % c.across() != 0)
        return {"waves must be a multiple of a block's slices of 16 channels", c.waves,
                "use more waves, or fewer channels"};
    return {};
}

// And those whose operands are in LDS.
template <direction Made>
constexpr violation check_lds_product(const narrow_config<Made>& c, const target& t)
{
    namespace of_lds = tap_product::of_lds;
    if(c.makes_weights())
        return {"operands in LDS make images", c.group, "take operands of backward weight from registers"};
    if(c.group != c.channels || !of_lds::has(c.channels))
        return {"operands in LDS have 32 or 64 channels, of a block and of a group at most", c.channels,
                "use groups of 32, and 32 channels"};
    if(tap_product::lds_instruction(c.type, t, c.channels) == nullptr)
        return {"the architecture must multiply operands of the type that lie in LDS", name_of(c.type),
                "take operands from registers"};
    if(c.taps != 1)
        return {"operands in LDS have one tap", c.taps, "use 1"};
    if(c.patch.cols != tap_product::width || c.patch.rows % tap_product::width != 0 || c.patch.rows > 32)
        return {"operands in LDS are patches of 8 x 8 pixels, or of up to 4 of these, one below the other",
                c.patch.rows, "use 16 x 8"};
    if(c.classes() != 1 || c.stride() > 2)
        return {"operands in LDS have neighbouring pixels, or, forward, every second one", c.window.stride,
                "use a stride of 1, or any window"};
    if(c.waves % of_lds::waves != 0)
        return {"four waves multiply operands in LDS", c.waves, "use a multiple of 4"};
    return {};
}

// What those that make weights by rows of the filter must have beside.
template <direction Made>
constexpr violation check_hankel(const narrow_config<Made>& c)
{
    if(c.taps % tap_product::channels != 0 || c.taps > 64)
        return {"a row of a filter must have 16, 32, 48 or 64 taps at most, of which weights are made", c.taps,
                "use 16"};
    if(c.patch.cols % c.instruction().k != 0)
        return {"patches must be whole products of 16 pixels of a row", c.patch.cols, "use 1 x 16"};
    if(c.channels % c.waves != 0)
        return {"waves must divide a block's channels, of which each has all weights", c.waves,
                "use as many as there are channels"};
    return {};
}
// And those that make images.
template <direction Made>
constexpr violation check_toeplitz(const narrow_config<Made>& c)
{
    if(c.taps % tap_product::channels != 1 || c.taps > 65)
        return {"a row of a filter must have 17, 33, 49 or 65 taps at most", c.taps, "use 17"};
    if(c.patch.rows % c.instruction().n != 0 || c.patch.cols % c.instruction().m != 0)
        return {"patches must be whole products of 16 pixels of a row and as many rows as the instruction has columns",
                c.patch.rows, "use 16 x 32"};
    if(c.waves % c.across() != 0)
        return {"waves must be a multiple of a block's slices of 8 channels", c.waves,
                "use more waves, or fewer channels"};
    return {};
}
template <direction Made>
constexpr violation check_rows(const narrow_config<Made>& c, const target& t)
{
    if(tap_product::instruction(c.type, t) == nullptr)
        return {"rows of a filter must be of a type that matrix instructions of 16 rows have", name_of(c.type),
                "choose fp16 or bf16"};
    if(!c.window.any() || c.window.cols < 1)
        return {"rows of a filter must be of any window, whose columns say how many there are at most", c.window.cols,
                "use a window of 0 rows, and 7 columns"};
    if(c.patch.pixels() > 1024)
        return {"patches must have 1024 pixels at most", c.patch.pixels(), "use fewer rows"};
    if(c.planes != 1)
        return {"rows of a filter must be those of one plane", c.planes, "use 1 plane"};
    if(c.stages != 1)
        return {"rows of a filter must be of one halo: other blocks compute while it is copied", c.stages,
                "use 1 stage"};
    if(c.channels % c.vector() != 0)
        return {"channels must be whole vectors of 16 bytes", c.channels, "use 8"};
    if constexpr(Made == direction::backward_weight)
        return check_hankel(c);
    else
        return check_toeplitz(c);
}

// What those by squares must have beside.
template <direction Made>
constexpr violation check_squares(const narrow_config<Made>& c, const target& t)
{
    namespace product = square_product;
    if(c.operands == operands_from::squares && c.group != product::channels && c.group != 2 * product::channels)
        return {"squares are of groups of 8 or 16 channels, or a divisor of these", c.group,
                "use 8 or 16, or, of groups of 1 channel, 2 taps, and operands in registers"};
    if(c.operands == operands_from::squares && c.taps != 1)
        return {"squares of several channels per group have 1 tap", c.taps, "use 1"};
    if(!product::exists(c.type, t))
        return {"squares are multiplied 16 x 8 x 16, of 16-bit types", name_of(c.type),
                "use products of 1 tap, of operands in registers"};
    if(c.channels != 16 && c.channels != 32 && c.channels != 64)
        return {"boxes of squares have rows of 16, 32 or 64 channels", c.channels, "use 64 channels"};
    if(c.window.any() || (Made == direction::backward_data && c.window.stride != 1) || c.window.stride > 2)
        return {"the compiler must know the window of squares, of a stride of 2 at most, or, of dX, 1", c.window.stride,
                "set rows, cols and stride of the window, or use products of 1 tap"};
    if(c.patch.cols != product::width)
        return {"squares have rows of 8 pixels", c.patch.cols, "use patches 8 wide"};
    if(constexpr int most = 16; c.patch.rows % 2 != 0 || c.patch.rows > most)
        return {"products of squares have two rows of a patch, of 16 at most", c.patch.rows,
                "use patches of 8 or 16 rows"};
    if(c.planes != 1 && !c.makes_weights())
        return {"boxes are of one plane", c.planes, "use 1 plane"};
    if(c.makes_weights())
    {
        if(const int slices = c.slices_of_wave();
           c.waves * slices * product::channels != c.channels || (slices != 1 && slices != c.slices_seen()))
            return {"a wave makes weights of 8 channels, or of a group of 16", c.waves, "use 8 waves for 64 channels"};
    }
    else if(const distribution d = c.rows();
            !d.covers() || d.threads() != c.threads() || d.regs() % (2 * c.slices_seen()) != 0)
        return {"waves must share the channels of a patch by 8, or by pairs of rows", c.waves,
                "use as many waves as there are times 8 channels, or fewer"};
    return {};
}

// `t` are the facts of c.arch.
template <direction Made>
constexpr violation check(const narrow_config<Made>& c, const target& t)
{
    if(c.type == data_type::int32)
        return {"images must be of a floating-point type", name_of(c.type), "choose fp16, bf16 or fp32"};
    if(const violation v = check_window(c.window))
        return v;
    for(const int number : {c.channels, c.waves, c.patch.rows, c.patch.cols, c.halo, c.stages})
        if(number < 1 || number > 4096)
            return {"channels, waves, patches, halo and stages must be positive, and 4096 at most", number,
                    "choose 1 or more"};
    if(c.group != 1 && c.group != tap_product::channels && c.group != 2 * tap_product::channels && !c.by_lds() &&
       !c.by_squares())
        return {"channels of a group must be 1, 16 and what divides it, 32, or, of operands in LDS, 64", c.group,
                "use 1, 16 or 32"};
    if(c.by_lds())
    {
        if(const violation v = check_lds_product(c, t))
            return v;
    }
    else if(c.by_squares())
    {
        if(const violation v = check_squares(c, t))
            return v;
    }
    else if(c.by_rows())
    {
        if(const violation v = check_rows(c, t))
            return v;
    }
    else if(c.taps != 1 &&
            (c.made == direction::backward_data || c.group != tap_product::channels || (c.taps != 2 && c.taps != 4)))
        return {"products must take 1 tap, or, but for dX, of groups of 16 channels, 2 or 4", c.taps, "use 1"};
    if(!c.by_matrix() && !c.by_rows() && !c.by_squares() &&
       (c.patch.rows > 32 || c.patch.cols > 32 || c.patch.pixels() > 32))
        return {"a patch must have 32 pixels at most", c.patch.pixels(), "use a smaller one"};
    if(c.by_matrix() && !c.by_lds())
        if(const violation v = check_tap_product(c, t))
            return v;
    if(constexpr int most_planes = 64; c.planes < 1 || c.planes > most_planes)
        return {"a filter must have 1 to 64 planes", c.planes, "use 1 for two dimensions"};
    if(c.deep() && c.by_matrix() && !c.window.any() && !c.makes_weights())
        return {"by matrix instructions, images are made of filters of one plane where the compiler knows the window",
                c.planes, "use a window of 0 rows, or 1 plane"};
    if(c.makes_weights() && c.most_products() % c.products_at_once() != 0)
        return {"taps of any window must be a multiple of those whose sums are added up at once", c.window.taps(),
                "use a multiple of 8, or, by matrix instructions, of 2 or 3"};
    if(c.threads() > t.max_block_threads || (c.waves & (c.waves - 1)) != 0)
        return {"waves must be a power of two within the threads of a block", c.waves, "use fewer"};
    const int across = c.channels / c.own();
    if((c.channels & (c.channels - 1)) != 0 || c.channels < c.vector() || across > c.lanes())
        return {"channels must be a power of two, of 16 bytes at least and of a wave at most", c.channels,
                "use 32 channels"};
    if(const violation v = check_halo(c.halo, c.halo_along(0, 1), c.halo_along(1, 1)))
        return v;
    if(c.halo % c.halo_at_once() != 0)
        return {"the threads must share the halo's pixels evenly", c.halo,
                "use a multiple of threads * 8 / channels, or, where products take several taps, of threads"};
    const bool async = t.copy_to_lds == lds_copy::bytes_16_async;
    if(!c.by_rows() && (async ? c.stages < 2 || c.stages > 4 : c.stages > 2))
        return {"halos must be 2 to 4 where copies are asynchronous, 1 or 2 where they are not", c.stages,
                "use 2 stages"};
    if(Made == direction::backward_data && !c.window.any() &&
       (c.patch.rows % c.window.stride != 0 || c.patch.cols % c.window.stride != 0))
        return {"a patch of dX must have a multiple of the stride of pixels", c.patch.cols,
                "use a patch whose lengths the stride divides"};
    if(c.lds_bytes() > t.lds_bytes)
        return {"what a block has in LDS must fit", c.lds_bytes(), "use fewer stages, or a smaller halo"};
    return {};
}

template <direction Made>
constexpr violation check(const narrow_config<Made>& c)
{
    return check(c, facts(c.arch));
}

} // namespace ck_tile::conv
