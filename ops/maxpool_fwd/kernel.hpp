// SPDX-License-Identifier: MIT
// Max-pooling, forward: a thread makes some rows of one column (nhwc: of a vector of channels) of the output, and the indices of
// the maxima. It goes down the rows of the input, finds the maximum of what windows have of each, and compares that with the
// maximum of every window that has the row. Or threads share a window, each having some of its columns.
//
// Elements of a window are compared row by row. One that is larger than the largest so far, or not a number, becomes the
// maximum; so does the first that exists. So of equal maxima the first counts, of NaNs the last, as in PyTorch. That may be
// done in rows first, because it takes the later one of two maxima, or not, whatever has been compared before.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/exchange.hpp"
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
    int patch_rows,
        input_rows; // of the output that a thread makes, and of the input, in steps of the dilation, that it sees for them
    int row_step; // from one row of windows to the next in such steps, where a thread has several
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
        const patches own(coord[1] * C.patches(), a.patches);
        const auto first_row = [&](const auto& patch) {
            return multi_index{wrapped_product(patch.at[0], a.patch_rows), patch.at[1]};
        };
        const auto first_pixel = [&](const auto& patch) {
            const auto at = first_row(patch);
            return multi_index{wrapped_product(at[0], a.stride[0]), wrapped_product(at[1], a.stride[1])} - a.left_pad;
        };
        window<const element, C.row_of_elements()> seen(own, in, in_size, first_pixel, a.dilation[1]);

        const window<const element, cell> made(own, static_cast<const element*>(a.out), out_size, first_row);

        maxima found[C.rows];
        for(maxima& m : found)
            m = nothing_found();
        for(int row = 0; row < a.input_rows; ++row)
        {
            const maxima most = maxima_of_row(seen, row, a);
            static_for<C.rows>([&](auto i) {
                const int y = row - i * a.row_step; // the row of window i that this is
                if(unsigned(y) < unsigned(a.window[0]))
                    found[i].take(most);
            });
        }

        static_for<C.rows>([&](auto i) {
            if(i >= a.patch_rows)
                return;
            share(found[i], seen, i, a);
            find_exceptions(found[i], made, seen, i, a);
            const auto write = [&]<class T>(T* to, const auto& values) {
                window<T, cell> there(own, to + out_image, out_size, first_row);
                there.move_to({i, 0});
                store(there, values);
            };
            if(a.out != nullptr)
                write(static_cast<element*>(a.out), convert<element>(found[i].values));
            if(a.indices != nullptr)
                write(static_cast<index*>(a.indices), convert<index>(found[i].at));
        });
    }

  private:
    static constexpr distribution cell = C.cell(), elements = C.row_of_elements();
    static constexpr float lowest = -std::numeric_limits<float>::infinity(); // of what does not exist, too
    static constexpr int none     = -1;
    using patches                 = maxpool::thread_patches<C.layout, cell>;
    template <class T, distribution D>
    using window = maxpool::pixel_window<C.layout, T, D>;
    using input  = window<const element, elements>;

    // The largest so far, and where they are: none, if all that was compared is the lowest number.
    struct maxima
    {
        tile<float, cell> values;
        tile<int, cell> at;

        // Compares later ones.
        CK_TILE_FN void take(const maxima& later)
        {
            for_each_thread<cell>([&](thread t) {
                for_each_element<cell>([&](auto r, auto v) {
                    take(t, r, v, later.values.file_of(t).get(r, v), later.at.file_of(t).get(r, v));
                });
            });
        }
        CK_TILE_FN void take(thread t, auto r, auto v, float value, int where)
        {
            float most       = values.file_of(t).get(r, v);
            const bool taken = take_larger(most, value);
            values.file_of(t).set(r, v, most);
            at.file_of(t).set(r, v, taken ? where : at.file_of(t).get(r, v));
        }
    };
    static CK_TILE_FN maxima nothing_found() { return {fill<float, cell>(lowest), fill<int, cell>(none)}; }

    // Of a row of windows, which is `row` dilations below the first one of a thread. Indices are those of the first window, if it had
    // that row, or, if flat, count from its first element; where threads share a window, from a thread's first one.
    static CK_TILE_FN maxima maxima_of_row(input& seen, int row, const arguments& a)
    {
        const bool flat = C.index != indices::u8;
        const int step  = flat ? a.dilation[1] : 1;
        const int begin =
            flat ? wrapped_product(wrapped_product(row, a.dilation[0]), a.input[1]) : wrapped_product(row, a.window[1]);
        maxima most = nothing_found();
        for(int x = 0; x < a.window[1]; x += input::most)
        {
            const int count = a.window[1] - x;
            seen.move_to({wrapped_product(row, a.dilation[0]), x * a.dilation[1]}, count);
            const auto next = convert<float>(load(seen, convert<element>(lowest)));
            for_each_thread<cell>([&](thread t) {
                static_for<C.elements_at_once>([&](auto i) {
                    constexpr int column = i * C.lanes;
                    if(column < count)
                        for_each_element<cell>([&](auto r, auto v) {
                            most.take(t, r, v, next.file_of(t).get(i + C.elements_at_once * r, v),
                                      wrapped_sum(begin, wrapped_product(x + column, step)));
                        });
                });
            });
        }
        return most;
    }

    // The maxima of window i, of all threads that share it, and their indices as they are stored.
    static CK_TILE_FN void share(maxima& m, const input& seen, int i, const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            const int column = first_element<elements, 1>(t);
            const int first  = C.index == indices::u8
                                   ? column - i * a.row_step * a.window[1]
                                   : wrapped_sum(seen.number(t), wrapped_product(column, a.dilation[1]));
            for_each_element<cell>([&](auto r, auto v) {
                auto& at = m.at.file_of(t);
                at.set(r, v, at.get(r, v) == none ? none : wrapped_sum(at.get(r, v), first));
            });
        });
        for(int mask = 1; mask < C.lanes; mask *= 2)
        {
            const maxima other = {exchange_lanes(m.values, mask), exchange_lanes(m.at, mask)};
            for_each_thread<cell>([&](thread t) {
                for_each_element<cell>([&](auto r, auto v) {
                    const float mine = m.values.file_of(t).get(r, v), theirs = other.values.file_of(t).get(r, v);
                    const int at = m.at.file_of(t).get(r, v), there = other.at.file_of(t).get(r, v);
                    const bool taken =
                        theirs > mine || (theirs == mine && unsigned(there) < unsigned(at)) || theirs != theirs;
                    m.values.file_of(t).set(r, v, taken ? theirs : mine);
                    m.at.file_of(t).set(r, v, taken ? there : at);
                });
            });
        }
    }

    // Where all that exists is the lowest number, the first one of it is the maximum; of NaNs, the last one.
    static CK_TILE_FN void find_exceptions(maxima& m, const window<const element, cell>& made, const input& seen, int i,
                                           const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            const auto& values = m.values.file_of(t);
            auto& at           = m.at.file_of(t);
            bool exceptional   = false;
            for_each_element<cell>([&](auto r, auto v) {
                const float value = values.get(r, v);
                exceptional |= (at.get(r, v) == none) | (value != value);
            });
            if(!(exceptional & made.has(t, {i, 0}))) [[likely]]
                return;
            for(int y = 0; y < a.window[0]; ++y)
                for(int x = 0; x < a.window[1]; ++x)
                {
                    const multi_index<2> beyond = {wrapped_sum(wrapped_product(i, a.stride[0]), y * a.dilation[0]),
                                                   x * a.dilation[1]};
                    const int here = C.index == indices::u8
                                         ? y * a.window[1] + x
                                         : wrapped_sum(seen.number(t),
                                                       wrapped_sum(wrapped_product(beyond[0], a.input[1]), beyond[1]));
                    for_each_element<cell>([&](auto r, auto v) {
                        const unsigned from = seen.offset(t, beyond) + seen.channel_offset(r + v);
                        const storage_t<element> bits =
                            load_vector<element, 1>(seen.memory(), from, convert<element>(lowest))[0];
                        const float value = convert<float>(__builtin_bit_cast(element, bits)), most = values.get(r, v);
                        if(((most != most) & (value != value)) | ((at.get(r, v) == none) & seen.has(t, beyond)))
                            at.set(r, v, here);
                    });
                }
        });
    }
};

} // namespace ck_tile::maxpool_fwd
