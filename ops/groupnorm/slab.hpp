// SPDX-License-Identifier: MIT
// The part of an image that a block works on, a slab: some channels and some pixels. How it lies in memory, in a tile, in LDS.
//
// Channels innermost, the threads of a unit hold, in each step, `rows` pixels of all channels of the slab: a thread's
// channels stay the same from step to step. Pixels innermost, a slab is contiguous: whole channels, or a part of one.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/window.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/groupnorm/config.hpp"

namespace ck_tile::groupnorm
{

// The tensors, and how they are cut into slabs.
struct geometry
{
    int batch, pixels, groups, channels; // channels of an image
    divider per_group;                   // channels
    int span;                            // channels of a slab
    divider spans, parts;                // slabs across an image's channels and pixels
    int part;                            // pixels of a slab
    int rows;                            // pixels of a step of the tile, channels innermost
    divider vectors;                     // of a slab's pixel, channels innermost; else of a channel
    int tiles;                           // that a block works on, one after another
};

template <config C>
struct slab
{
    static constexpr int threads = C.threads(), vector = C.vector;
    static constexpr distribution tile_layout = C.tile();
    // As constants: elsewhere than in a constant expression the compiler may look up the target's facts in the kernel.
    static constexpr int columns = C.columns(), line = C.line(), slots_at = C.slots_at();
    static constexpr int first_room_at = C.room_at(0), second_room_at = C.room_at(1);
    static constexpr int channel_room_at = C.units > 1 ? second_room_at : first_room_at; // of sums by channel
    static constexpr int group_room_at   = C.units > 1 ? first_room_at : second_room_at; // and by group

    const geometry& g;
    int image, part;
    int channel, channels; // the first, and how many
    int pixel, pixels;

    CK_TILE_FN slab(const geometry& of, int number) : g(of)
    {
        const int outer = number / g.spans;
        image           = outer / g.parts;
        part            = outer % g.parts;
        channel         = number % g.spans * g.span;
        pixel           = part * g.part;
        channels        = g.span < g.channels - channel ? g.span : g.channels - channel;
        pixels          = g.part < g.pixels - pixel ? g.part : g.pixels - pixel;
    }

    CK_TILE_FN int groups() const { return channels / g.per_group; } // where slabs hold whole groups
    CK_TILE_FN int group_of(int c) const { return (channel + c) / g.per_group; }

    // The slab in a tensor, as [steps, columns]. Steps past its end lie past its memory.
    template <class T>
    CK_TILE_FN auto view(T* tensor) const
    {
        if constexpr(C.dense == innermost::channels)
        {
            T* first                  = tensor + (std::int64_t(image) * g.pixels + pixel) * g.channels + channel;
            const std::int64_t length = std::int64_t(pixels - 1) * g.channels + channels;
            const strided<2> memory   = {{pixels, channels}, {g.channels, 1}};
            const auto steps = transform(memory, along<dims{0}, dims{0, 1}>(embed<2>{{pixels, g.rows}, {g.rows, 1}}),
                                         along<dims{1}, dims{2}>(pad{channels, 0, g.span - channels}));
            return tensor_view{first, length,
                               transform(steps, along<dims{0}, dims{0}>(unbounded{}),
                                         along<dims{1, 2}, dims{1}>(merge<2>{{g.rows, g.span}}))};
        }
        else
        {
            T* first                = tensor + (std::int64_t(image) * g.channels + channel) * g.pixels + pixel;
            const strided<2> memory = {{1, columns}, {columns, 1}};
            return tensor_view{first, std::int64_t(channels) * pixels,
                               transform(memory, along<dims{0}, dims{0}>(unbounded{}),
                                         along<dims{1}, dims{1}>(pass_through{columns}))};
        }
    }

    template <class T>
    CK_TILE_FN auto window(T* tensor) const
    {
        return make_window<tile_layout>(view(tensor), multi_index{0, 0});
    }

    // The slot, in the LDS of a thread's unit, for a number of thread_sums.
    CK_TILE_FN static int slot(const multi_index<2>& at)
    {
        return C.dense == innermost::channels ? at[1] % vector * line + at[1] / vector : at[0] % C.steps * line + at[1];
    }

    // How many slots hold numbers of one channel, and which these are in the LDS of unit `unit`: -1 if it lies in another's.
    CK_TILE_FN int terms() const
    {
        if constexpr(C.dense == innermost::channels)
            return g.rows;
        constexpr int all = C.units * C.steps * threads;
        return g.vectors.divisor < all ? g.vectors.divisor : all;
    }
    CK_TILE_FN int term(int unit, int c, int k) const
    {
        if constexpr(C.dense == innermost::channels)
            return slot({0, k * g.span + c});
        const int number = c * g.vectors.divisor + k - unit * C.steps * threads;
        return C.units == 1 || unsigned(number) < unsigned(C.steps * threads) ? number : -1;
    }

    // A number per channel waits in LDS at place(c), for threads whose thread_sums are at (i, j) at place_for(i, j).
    CK_TILE_FN int place(int c) const
    {
        return C.dense == innermost::channels ? c % vector * g.vectors.divisor + c / vector : c;
    }
    CK_TILE_FN int place_for(int i, int j) const
    {
        if constexpr(C.dense == innermost::channels)
            return j % vector * g.vectors.divisor + j / vector % g.vectors;
        const int c = (i * threads + j) / g.vectors;
        return c < channels ? c : channels - 1; // steps past the slab's end, tiles past the first
    }

    // What the threads' LDS at `offset` holds at their place_for, made a number by get(element): a tile beside thread_sums. All
    // units hold the same.
    template <class T, class Get>
    CK_TILE_FN auto at_places(const block& b, int offset, Get&& get) const
    {
        return generate<float, C.thread_sums(), 2>(
            [&](int i, int j) { return get(b.lds_at<const T>(offset)[place_for(i, j)]); });
    }

    // Which vectors of the tile exist, beside it.
    CK_TILE_FN auto existing() const
    {
        return generate<int, detail::folded(tile_layout, 1), 2>([&](int i, int j) {
            return C.dense == innermost::channels ? i * g.rows + j / g.vectors < pixels
                                                  : (i * threads + j) * vector < channels * pixels;
        });
    }

    // Combines numbers of thread_sums by channel: a function of (thread, channel), whose results every unit has. make(number of
    // each tile ...) makes a T of them, of which T{} is neutral to `op`.
    template <class T, class Make, class Op, class... Tiles>
    CK_TILE_FN auto combine_by_channel(const block& b, Make&& make, Op&& op, const Tiles&... numbers) const
    {
        visit<2>(
            [&](thread t, const multi_index<2>& at, auto... n) { b.lds_of<T>(t, slots_at)[slot(at)] = make(n...); },
            numbers...);
        b.sync();
        const auto of_slot = [&](thread t, int c, int k) {
            const int at = term(t.unit, c, k);
            return at < 0 ? T{} : b.lds_of<T>(t, slots_at)[at];
        };
        reduce_into_lds<tile_layout, T>(b, first_room_at, channels, terms(), of_slot, op);
        if constexpr(C.units > 1)
        {
            const auto of_unit = [&](thread, int c, int unit) { return b.lds_of_unit<T>(unit, first_room_at)[c]; };
            b.sync_units<C.units>();
            reduce_into_lds<tile_layout, T>(b, channel_room_at, channels, C.units, of_unit, op);
            b.sync_units<C.units>();
        }
        return [&b](thread t, int c) { return b.lds_of<T>(t, channel_room_at)[c]; };
    }

    // Combines what of_channel(thread, channel) gives by group: a function of (thread, group of the image).
    template <class T, class OfChannel, class Op>
    CK_TILE_FN auto combine_by_group(const block& b, OfChannel&& of_channel, Op&& op) const
    {
        reduce_into_lds<tile_layout, T>(
            b, group_room_at, groups(), g.per_group.divisor,
            [&](thread t, int group, int k) { return of_channel(t, group * g.per_group.divisor + k); }, op);
        return [&b, first = group_of(0)](thread t, int group) { return b.lds_of<T>(t, group_room_at)[group - first]; };
    }
};

} // namespace ck_tile::groupnorm
