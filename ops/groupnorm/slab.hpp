// SPDX-License-Identifier: MIT
// The part of an image that a block works on, a slab: some channels and some pixels. How it lies in memory, in a tile, in LDS.
//
// Channels innermost, the threads of a workgroup hold, in each step, `rows` pixels of all channels of the slab: a thread's
// channels stay the same from step to step. Pixels innermost, a slab is contiguous: whole channels, or a part of one.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/primitives.hpp"
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
    divider spans, chunks;               // slabs across an image's channels and pixels
    int chunk;                           // pixels of a slab
    int rows;                            // pixels of a step of the tile, channels innermost
    divider vectors;                     // of a slab's pixel, channels innermost; else of a channel
    int tiles;                           // that a block works on, one after another
    int share; // elements of an image, in whole vectors, for each workgroup of its slabs: see prefetch()
    int ahead; // how many slabs later the slab comes that a whole pass prefetches for

    CK_TILE_FN constexpr int slabs() const { return batch * spans.divisor * chunks.divisor; } // one for each block
};

template <config C>
struct slab
{
    static constexpr int threads = C.threads(), vector = C.vector;
    static constexpr distribution tile_layout = C.tile(), sum_layout = C.thread_sums();
    // As constants: elsewhere than in a constant expression the compiler may look up the target's facts in the kernel.
    static constexpr int columns = C.columns(), line = C.line(), slots_at = C.slots_at();
    static constexpr int slots            = C.steps * threads; // of a workgroup, pixels innermost
    static constexpr bool shares_channels = C.cluster > 1 && C.dense == innermost::spatial;
    // Of sums by channel, those of the whole cluster and of one workgroup, and by group.
    static constexpr int channel_room_at = C.room_at(0), group_room_at = C.room_at(1), rank_room_at = C.rank_room_at();

    const geometry& g;
    int image, chunk, span;
    int channel, channels; // the first, and how many
    int pixel, pixels;

    CK_TILE_FN slab(const geometry& shared, int number) : g(shared)
    {
        const int outer = number / g.spans;
        image           = outer / g.chunks;
        chunk           = outer % g.chunks;
        span            = number % g.spans;
        channel         = span * g.span;
        pixel           = chunk * g.chunk;
        channels        = g.span < g.channels - channel ? g.span : g.channels - channel;
        pixels          = g.chunk < g.pixels - pixel ? g.chunk : g.pixels - pixel;
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

    // The window of the slab's first tile. `zero` may be opaque(0).
    template <class T>
    CK_TILE_FN auto window(T* tensor, int zero = 0) const
    {
        return make_window<tile_layout>(view(tensor), multi_index{0, zero});
    }

    // What a thread adds up, see config::thread_sums, is numbered (r, v) like the registers of a tile. Into it go the elements of
    // the slab's tile that for_each_folded<tile_layout, C.folds()>(r, v, ...) visits.
    // Its slot in the LDS of the thread's workgroup:
    CK_TILE_FN static int slot(thread t, int r, int v)
    {
        const auto at = coordinates<C.thread_sums(), 2>(t, r, v);
        return C.dense == innermost::channels ? at[1] % vector * line + at[1] / vector : at[0] % C.steps * line + at[1];
    }

    // Of which channels a rank has elements: of first_channel(rank), and so many at most.
    CK_TILE_FN int first_channel(int rank) const { return shares_channels ? rank * slots / g.vectors : 0; }
    CK_TILE_FN int rank_channels() const
    {
        const int whole = slots / g.vectors, some = slots == whole * g.vectors.divisor ? whole : whole + 2;
        return shares_channels && some < channels ? some : channels;
    }

    // How many slots of a workgroup hold numbers of one channel, at most, and which these are: -1 if there are fewer.
    CK_TILE_FN int terms() const
    {
        if constexpr(C.dense == innermost::channels)
            return g.rows;
        return g.vectors.divisor < slots ? g.vectors.divisor : slots;
    }
    CK_TILE_FN int term(int rank, int c, int k) const
    {
        if constexpr(C.dense == innermost::channels)
            return c % vector * line + c / vector + k * g.vectors.divisor;
        const int begin = c * g.vectors.divisor - rank * slots, at = (begin > 0 ? begin : 0) + k;
        return at < slots && at < begin + g.vectors.divisor ? at : -1;
    }

    // What is known of channel c waits in LDS at its channel_slot(c); of the channel of a thread's (r, v), at channel_slot(t, r, v).
    CK_TILE_FN int channel_slot(int c) const
    {
        return C.dense == innermost::channels ? c % vector * g.vectors.divisor + c / vector : c;
    }
    CK_TILE_FN int channel_slot(thread t, int r, int v) const
    {
        const auto [i, j] = coordinates<C.thread_sums(), 2>(t, r, v).at;
        if constexpr(C.dense == innermost::channels)
            return j % vector * g.vectors.divisor + j / vector % g.vectors;
        const int c = (i * threads + j) / g.vectors;
        return c < channels ? c : channels - 1; // steps past the slab's end, tiles past the first
    }

    // How many channels have a slot that threads look at: where threads go along channels, some have one that does not exist.
    CK_TILE_FN int known_channels() const { return C.dense == innermost::channels ? g.span : channels; }

    // Whether register r of the tile exists.
    CK_TILE_FN bool exists(thread t, int r) const
    {
        const auto [i, j] = coordinates<C.tile(), 2>(t, r, 0).at;
        return C.dense == innermost::channels ? i * g.rows + j / vector / g.vectors < pixels
                                              : i * columns + j < channels * pixels;
    }

    // Combines by channel what threads have, number(thread, r, v), a T; T{} is neutral to `op`. The result is a function of
    // (thread, channel). Before the next such call a workgroup waits for the others, wait_cluster().
    template <class T, class Number, class Op>
    CK_TILE_FN auto combine_by_channel(const block& b, Number&& number, Op&& op) const
    {
        for_each_thread<tile_layout>([&](thread t) CK_TILE_INLINE {
            for_each_element<sum_layout>(
                [&](auto r, auto v) { b.lds_of<T>(t, slots_at)[slot(t, r, v)] = number(t, r, v); });
        });
        b.sync();
        const auto of_slot = [&](thread t, int o, int k) {
            const int at = term(t.rank, first_channel(t.rank) + o, k);
            return at < 0 ? T{} : b.lds_of<const T>(t, slots_at)[at];
        };
        reduce_into_lds<tile_layout, T>(b, rank_room_at, rank_channels(), terms(), of_slot, op);
        if constexpr(C.cluster > 1)
        {
            b.sync_cluster<C.cluster>();
            const auto of_rank = [&](thread, int c, int rank) {
                const int o = c - first_channel(rank);
                return unsigned(o) < unsigned(rank_channels()) ? b.lds_of_rank<T>(rank, rank_room_at)[o] : T{};
            };
            reduce_into_lds<tile_layout, T>(b, channel_room_at, channels, C.cluster, of_rank, op);
            b.arrive_cluster<C.cluster>();
        }
        return [&b](thread t, int c) { return b.lds_of<const T>(t, channel_room_at)[c]; };
    }

    // Combines what of_channel(thread, channel) gives by group: a function of (thread, group of the image).
    template <class T, class OfChannel, class Op>
    CK_TILE_FN auto combine_by_group(const block& b, OfChannel&& of_channel, Op&& op) const
    {
        reduce_into_lds<tile_layout, T>(
            b, group_room_at, groups(), g.per_group.divisor,
            [&](thread t, int group, int k) { return of_channel(t, group * g.per_group.divisor + k); }, op);
        return [&b, first = group_of(0)](thread t, int group) {
            return b.lds_of<const T>(t, group_room_at)[group - first];
        };
    }

    // Asks for memory to come to the device's cache that the block of this slab will load, or one beside it: each workgroup for one
    // run of the image, so that those of all the image's slabs make it up.
    template <class... T>
    CK_TILE_FN void prefetch(const T*... tensors) const
    {
        if constexpr((... && (vector * sizeof(T) == 16)))
            for_each_index<tile_layout>(1, [&](thread t, int) {
                const std::int64_t all   = std::int64_t(g.pixels) * g.channels;
                const std::int64_t begin = std::int64_t(span * C.cluster + t.rank) * g.share;
                if(begin < all)
                    (prefetch_run(tensors + image * all + begin,
                                  int(g.share < all - begin ? g.share : all - begin) * int(sizeof(T))),
                     ...);
            });
    }
};

} // namespace ck_tile::groupnorm
