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

namespace ck_tile::maxpool_fwd
{

using maxpool::field;
using maxpool::image_lengths;

struct arguments
{
    const void* in;
    void* out;     // null: not wanted
    void* indices; // null: not wanted
    int batch, channels;
    multi_index<2> input, output, window, stride, dilation, left_pad;
    int blocks; // for an image
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
        const auto coord             = merge<2>{{a.batch, a.blocks}}.map({static_cast<int>(b.at.x)});
        const image_lengths in_size  = {a.channels, a.input[0], a.input[1]};
        const image_lengths out_size = {a.channels, a.output[0], a.output[1]};
        const auto* in               = static_cast<const element*>(a.in) + coord[0] * in_size.elements();
        const std::int64_t out_image = coord[0] * out_size.elements();
        const multi_index<3> origin  = {coord[1] * threads, 0, 0};

        // Where each window begins: its first element may lie in the padding.
        const auto begin = [&](int d) {
            return generate<int, cell, 3>([&](int i, int, int) {
                const auto at = maxpool::place_of_patch<C.layout, C.vector>(origin[0] + i, out_size, a.output);
                return wrapped_difference(wrapped_product(at[d], a.stride[d]), a.left_pad[d]);
            });
        };
        const auto top = begin(0), left = begin(1);

        auto largest = fill<float, cell>(0.f);
        auto at      = fill<int, cell>(none);
        for(int y = 0; y < a.window[0]; ++y)
            for(int x = 0; x < a.window[1]; ++x)
            {
                const multi_index<2> tap = {y * a.dilation[0], x * a.dilation[1]};
                const field f            = {.left = a.left_pad - tap, .step = a.stride};
                const auto view          = maxpool::patches_of<C.layout, C.vector>(in, in_size, a.output, f);
                const auto next          = convert<float>(load(make_window<cell>(view, origin)));
                const auto becomes       = map(
                    [&](float best, int where, float value, int h, int w) {
                        const bool exists = unsigned(wrapped_sum(h, tap[0])) < unsigned(a.input[0]) &&
                                            unsigned(wrapped_sum(w, tap[1])) < unsigned(a.input[1]);
                        return int(exists && (where == none || value > best || value != value));
                    },
                    largest, at, next, top, left);
                const int number = y * a.window[1] + x;
                largest =
                    map([](int yes, float mine, float best) { return yes ? mine : best; }, becomes, next, largest);
                at = map(
                    [&](int yes, int where, int h, int w) {
                        const int pixel =
                            wrapped_sum(wrapped_product(wrapped_sum(h, tap[0]), a.input[1]), wrapped_sum(w, tap[1]));
                        const int mine = C.index == indices::u8 ? number : pixel;
                        return yes ? mine : where;
                    },
                    becomes, at, top, left);
            }

        const auto write = [&](auto* to, const auto& values) {
            const field f   = {.left = {0, 0}, .step = {1, 1}};
            const auto view = maxpool::patches_of<C.layout, C.vector>(to + out_image, out_size, a.output, f);
            store(make_window<cell>(view, origin), values);
        };
        if(a.out != nullptr)
            write(static_cast<element*>(a.out), convert<element>(largest));
        if(a.indices != nullptr)
            write(static_cast<index*>(a.indices), convert<index>(at));
    }

  private:
    static constexpr distribution cell = C.cell();
    static constexpr int none          = -1;
};

} // namespace ck_tile::maxpool_fwd
