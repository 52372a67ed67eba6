// SPDX-License-Identifier: MIT
// The part of an image that a block works on, a slab: some channels and some pixels. How it lies in memory, in a tile, in LDS.
//
// Channels innermost, the threads of a unit hold, in each step, `rows` pixels of all channels of the slab: a thread's
// channels stay the same from step to step. Pixels innermost, a slab is contiguous: whole channels, or a part of one.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/groupnorm/config.hpp"

namespace ck_tile::groupnorm
{

// The tensors, and how they are cut into slabs.
struct geometry
{
    int batch, pixels, groups, per_group, channels; // channels = groups * per_group
    int span, spans;                                // channels of a slab; slabs across an image's channels
    int part, parts;                                // pixels of a slab; slabs across an image's pixels
    int rows;                                       // pixels of a step of the tile, channels innermost
    int tiles;                                      // that a block works on, one after another
};

template <config C>
struct slab
{
    static constexpr int threads = C.threads(), vector = C.vector;
    static constexpr distribution tile_layout = C.tile();

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
                                         along<dims{1}, dims{2}>(pass_through{channels}));
            return tensor_view{first, length,
                               transform(steps, along<dims{0}, dims{0}>(unbounded{}),
                                         along<dims{1, 2}, dims{1}>(merge<2>{{g.rows, channels}}))};
        }
        else
        {
            T* first                = tensor + (std::int64_t(image) * g.channels + channel) * g.pixels + pixel;
            const strided<2> memory = {{1, C.columns()}, {C.columns(), 1}};
            return tensor_view{first, std::int64_t(channels) * pixels,
                               transform(memory, along<dims{0}, dims{0}>(unbounded{}),
                                         along<dims{1}, dims{1}>(pass_through{C.columns()}))};
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
        return C.dense == innermost::channels ? at[1] % vector * C.line() + at[1] / vector
                                              : at[0] % C.steps * C.line() + at[1];
    }

    // How many slots hold numbers of one channel, and which these are in the LDS of unit `unit`: -1 if it lies in another's.
    CK_TILE_FN int terms() const
    {
        if constexpr(C.dense == innermost::channels)
            return g.rows;
        constexpr int all = C.units * C.steps * threads;
        return pixels / vector < all ? pixels / vector : all;
    }
    CK_TILE_FN int term(int unit, int c, int k) const
    {
        if constexpr(C.dense == innermost::channels)
            return slot({0, k * channels + c});
        const int number = c * (pixels / vector) + k - unit * C.steps * threads;
        return C.units == 1 || unsigned(number) < unsigned(C.steps * threads) ? number : -1;
    }
    static constexpr neighbours side = C.dense == innermost::channels ? neighbours::outputs : neighbours::terms;

    // A number per channel waits in LDS at place(c), for threads whose thread_sums are at (i, j) at place_for(i, j).
    CK_TILE_FN int place(int c) const
    {
        return C.dense == innermost::channels ? c % vector * (channels / vector) + c / vector : c;
    }
    CK_TILE_FN int place_for(int i, int j) const
    {
        if constexpr(C.dense == innermost::channels)
            return j % vector * (channels / vector) + j / vector % (channels / vector);
        const int c = channels == 1 ? 0 : (i * threads + j) / (pixels / vector);
        return c < channels ? c : channels - 1; // steps past the slab's end
    }

    // The tile of what value(c) gives per channel, beside thread_sums. `lds_offset` leads to room for a number per channel.
    template <class Value>
    CK_TILE_FN auto per_channel(const block& b, int lds_offset, Value&& value) const
    {
        for_each_index<tile_layout>(channels,
                                    [&](thread t, int c) { b.lds_of<float>(t, lds_offset)[place(c)] = value(c); });
        b.sync();
        return generate<float, C.thread_sums(), 2>(
            [&](int i, int j) { return b.lds_at<const float>(lds_offset)[place_for(i, j)]; });
    }

    // Combines numbers of thread_sums by channel, within each unit, into room 0 of LDS: that of channel c comes to lie at
    // c * (the returned number). make(number of each tile ...) makes a T of them.
    template <class T, class Make, class Op, class... Tiles>
    CK_TILE_FN int combine_by_channel(const block& b, Make&& make, Op&& op, const Tiles&... numbers) const
    {
        visit<2>([&](thread t, const multi_index<2>& at, auto... n) { b.lds_of<T>(t, 0)[slot(at)] = make(n...); },
                 numbers...);
        b.sync();
        return reduce_into_lds<tile_layout, T, side>(
            b, C.room_at(0), C.max_channels(), channels, terms(),
            [&](thread t, int c, int k) {
                const int at = term(t.unit, c, k);
                return at < 0 ? T{} : b.lds_of<T>(t, 0)[at];
            },
            op);
    }
};

} // namespace ck_tile::groupnorm
