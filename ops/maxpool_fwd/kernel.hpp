// SPDX-License-Identifier: MIT
// Max-pooling, forward: a thread makes one element (nhwc: a vector of channels) of the output, and the index of its maximum.
//
// Elements of a window are visited row by row. One that is larger than the largest so far, or not a number, becomes the
// maximum; so does the first that exists. So of equal maxima the first counts, of NaNs the last, as in PyTorch.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/maxpool_fwd/config.hpp"

#include <cstdint>
#include <limits>

namespace ck_tile::maxpool_fwd
{

using maxpool::image_lengths;

struct arguments
{
    const void* in;
    void* out;     // null: not wanted
    void* indices; // null: not wanted
    int batch, channels;
    multi_index<2> input, output, window, stride, dilation, left_pad;
    maxpool::patch_numbers patches;
    merge<2, dividers<2>> blocks; // images, and blocks for one of them
};

template <config C>
struct program
{
    static_assert(!check(C), "maxpool_fwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads;
    static constexpr int lds_bytes     = 0;
    using element                      = element_t<C.dtype>;
    using index                        = maxpool::index_t<C.index>;
    using arguments                    = maxpool_fwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto coord             = a.blocks.map({static_cast<int>(b.at.x)});
        const image_lengths in_size  = {a.channels, a.input[0], a.input[1]};
        const image_lengths out_size = {a.channels, a.output[0], a.output[1]};
        const auto* in               = static_cast<const element*>(a.in) + coord[0] * in_size.elements();
        const std::int64_t out_image = coord[0] * out_size.elements();
        const patches own(coord[1] * threads, a.patches);

        window<const element> seen(own, in, in_size, a.stride, a.left_pad);
        constexpr float lowest = -std::numeric_limits<float>::infinity(); // of what does not exist, too
        auto largest           = fill<float, cell>(lowest);
        auto at                = fill<int, cell>(none);
        for(int y = 0; y < a.window[0]; ++y)
            for(int x = 0; x < a.window[1]; ++x)
            {
                seen.move_to({y * a.dilation[0], x * a.dilation[1]});
                const auto next = convert<float>(load(seen, convert<element>(lowest)));
                const auto becomes =
                    map([](float value, float best) { return int((value > best) | (value != value)); }, next, largest);
                largest =
                    map([](int yes, float mine, float best) { return yes ? mine : best; }, becomes, next, largest);
                for_each_thread<cell>([&](thread t) {
                    const int index = index_of(seen, t, {y, x}, a);
                    for_each_element<cell>([&](auto r, auto v) {
                        at.file_of(t).set(r, v, becomes.file_of(t).get(r, v) ? index : at.file_of(t).get(r, v));
                    });
                });
            }
        find_first(at, seen, a);

        const auto write = [&]<class T>(T* to, const auto& values) {
            store(window<T>(own, to + out_image, out_size, {1, 1}, {}), values);
        };
        if(a.out != nullptr)
            write(static_cast<element*>(a.out), convert<element>(largest));
        if(a.indices != nullptr)
            write(static_cast<index*>(a.indices), convert<index>(at));
    }

  private:
    static constexpr distribution cell = C.cell();
    static constexpr int none          = -1;
    using patches                      = maxpool::pixel_patches<C.layout, cell>;
    template <class T>
    using window = maxpool::pixel_window<C.layout, T, cell>;

    // Of an element of the window.
    static CK_TILE_FN int index_of(const window<const element>& seen, thread t, const multi_index<2>& tap,
                                   const arguments& a)
    {
        return C.index == indices::u8 ? tap[0] * a.window[1] + tap[1]
                                      : seen.pixel(t, {tap[0] * a.dilation[0], tap[1] * a.dilation[1]});
    }

    // Where all that exists is the lowest number, the first one of it is the maximum.
    static CK_TILE_FN void find_first(tile<int, cell>& at, const window<const element>& seen, const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            bool missing = false;
            for_each_element<cell>([&](auto r, auto v) { missing |= at.file_of(t).get(r, v) == none; });
            if(!missing) [[likely]]
                return;
            const int first = index_of(seen, t, seen.first_tap(t, a.dilation), a);
            for_each_element<cell>([&](auto r, auto v) {
                at.file_of(t).set(r, v, at.file_of(t).get(r, v) == none ? first : at.file_of(t).get(r, v));
            });
        });
    }
};

} // namespace ck_tile::maxpool_fwd
