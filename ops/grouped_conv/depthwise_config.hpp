// SPDX-License-Identifier: MIT
// What the configurations of depthwise convolutions have, of any direction, and what makes one legal.
//
// A block has some channels, and makes one region after the other of its share: what the windows of a region see comes to LDS while it
// computes the one before.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ops/grouped_conv/depthwise.hpp"

namespace ck_tile::conv
{

// Of a direction: what LDS holds differs.
template <direction Made>
struct depthwise_config
{
    static constexpr direction made = Made;

    architecture arch;
    data_type type;
    int channels; // of a block
    int waves;
    known_window window;
    conv::patch patch; // of pixels that a thread computes, or, backward weight, multiplies
    int halo;          // pixels that LDS holds for a region, at most
    int stages = 2;    // such halos in LDS

    constexpr bool makes_weights() const { return Made == direction::backward_weight; }
    constexpr data_type dtype() const { return type; }
    constexpr int lanes() const { return facts(arch).wave; }
    constexpr int threads() const { return waves * lanes(); }
    constexpr int vector() const { return 16 / bytes_of(type); } // elements that one copy moves
    constexpr int own() const { return 4 / bytes_of(type); }     // channels of a thread
    constexpr int slots() const { return threads() / (channels / own()); }
    constexpr int pixels() const { return slots() * patch.pixels(); } // of a region, at most

    // How threads copy `rows` pixels to LDS, a multiple of rows_at_once().
    constexpr int rows_at_once() const { return threads() / (channels / vector()); }
    constexpr distribution copied(int rows) const
    {
        const int across = channels / vector(), down = lanes() / across;
        return {.lengths = {rows, channels},
                .wave    = {{waves, 0, down}},
                .lane    = {{across, 1, vector()}, {down, 0, 1}},
                .reg     = {{rows / rows_at_once(), 0, rows_at_once()}},
                .vec     = {{vector(), 1, 1}}};
    }
    constexpr distribution halo_copy() const { return copied(halo); }
    // The region's own pixels, where they are copied too.
    constexpr distribution pixel_copy() const { return copied(ceil_div(pixels(), rows_at_once()) * rows_at_once()); }
    // The region's pixels as threads compute them.
    constexpr distribution rows() const { return depthwise_rows(waves, lanes(), pixels(), channels, own()); }

    // Pixels in LDS, an odd number of 16 bytes apart.
    constexpr lds_layout lines(int rows) const { return {.rows = rows, .cols = channels, .pad = vector()}; }
    constexpr lds_layout halo_layout() const { return lines(halo); }
    constexpr lds_layout pixel_layout() const { return lines(pixel_copy().lengths[0]); }
    constexpr int halo_bytes() const { return halo_layout().elements() * bytes_of(type); }
    constexpr int pixel_bytes() const { return pixel_layout().elements() * bytes_of(type); }
    // Backward weight, dY is beside the halo of X.
    constexpr int stage_bytes() const { return halo_bytes() + (makes_weights() ? pixel_bytes() : 0); }

    // Sums of a thread for `taps` taps, [thread's patch, tap x channel].
    constexpr distribution sums(int taps) const
    {
        const int across = channels / own(), down = lanes() / across;
        return {.lengths = {waves * down, taps * channels},
                .wave    = {{waves, 0, down}},
                .lane    = {{across, 1, own()}, {down, 0, 1}},
                .reg     = {{taps, 1, channels}},
                .vec     = {{own(), 1, 1}}};
    }

    // Of the filter, whose sums are added up at once.
    constexpr int taps_at_once() const { return window.any() ? 8 : window.cols; }

    // Behind the stages, weights and biases in fp32; backward weight, sums of waves are added up where stages were.
    constexpr int weights_at() const { return stages * stage_bytes(); }
    constexpr int lds_bytes() const
    {
        if(!makes_weights())
            return weights_at() + (window.taps() + 1) * channels * 4;
        const int added = threads() * taps_at_once() * own() * 4;
        return added > weights_at() ? added : weights_at();
    }

    // Blocks that run on a compute unit at once, more or less: as many as LDS has room for, and registers, of which a lane has those of a patch, or
    // of sums of all taps, beside a row of the halo.
    constexpr int blocks_at_once(const target& t) const
    {
        const int row          = window.any() ? 2 : lines_seen(Made, patch.cols, window.cols, window.stride);
        const int registers    = 48 + own() * (patch.pixels() + row + (makes_weights() ? window.taps() : window.cols));
        const int by_lds       = t.lds_bytes / (lds_bytes() + 1024),
                  by_registers = t.compute_unit_registers / (threads() * registers);
        const int fit          = by_lds < by_registers ? by_lds : by_registers;
        return fit < 1 ? 1 : fit;
    }
};

constexpr violation check_window(const known_window& w)
{
    constexpr int most = known_window::most_taps;
    for(const int length : {w.rows, w.cols, w.stride})
        if(length < 0 || length > most)
            return {"a window that the compiler knows must have 64 taps and strides at most", length,
                    "use a smaller one"};
    if(w.taps() > most)
        return {"a window that the compiler knows must have 64 taps at most", w.taps(), "use a smaller one"};
    if((w.rows == 0) != (w.stride == 0) || (w.rows == 0) != (w.cols == 0))
        return {"the compiler must know filter and stride, or none of them", w.stride, "use 0 for all, or for none"};
    return {};
}

// `t` are the facts of c.arch.
template <direction Made>
constexpr violation check(const depthwise_config<Made>& c, const target& t)
{
    constexpr int most_halo = 1023; // see halo_window
    if(c.type == data_type::int32)
        return {"images must be of a floating-point type", name_of(c.type), "choose fp16, bf16 or fp32"};
    if(const violation v = check_window(c.window))
        return v;
    for(const int number : {c.channels, c.waves, c.patch.rows, c.patch.cols, c.halo, c.stages})
        if(number < 1 || number > 4096)
            return {"channels, waves, patches, halo and stages must be positive, and 4096 at most", number,
                    "choose 1 or more"};
    if(c.patch.rows > 32 || c.patch.cols > 32 || c.patch.pixels() > 32)
        return {"a patch must have 32 pixels at most", c.patch.pixels(), "use a smaller one"};
    if(c.threads() > t.max_block_threads || (c.waves & (c.waves - 1)) != 0)
        return {"waves must be a power of two within the threads of a block", c.waves, "use fewer"};
    const int across = c.channels / c.own();
    if((c.channels & (c.channels - 1)) != 0 || c.channels < c.vector() || across > c.lanes())
        return {"channels must be a power of two, of 16 bytes at least and of a wave at most", c.channels,
                "use 32 channels"};
    if(c.halo > most_halo || c.halo % c.rows_at_once() != 0)
        return {"the threads must share the halo's pixels evenly, of which there are 1023 at most", c.halo,
                "use a multiple of threads * 8 / channels"};
    const bool async = t.copy_to_lds == lds_copy::bytes_16_async;
    if(async ? c.stages < 2 || c.stages > 4 : c.stages > 2)
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
constexpr violation check(const depthwise_config<Made>& c)
{
    return check(c, facts(c.arch));
}

} // namespace ck_tile::conv
