// SPDX-License-Identifier: MIT
// Average pooling, backward, as a gather: each element of dX is the sum of the gradients dY, divided, of the windows that have it. No
// atomics, nothing to clear, and a fixed order.
//
// Where window, stride and pad are known, and all windows divide by the same number, a thread makes a patch of dX, some strides high and
// wide. For any window it makes some rows of one column (nhwc: of a vector of channels): it goes down the rows of windows that reach its
// pixels, adds up what of each lies over its column, and adds that to every pixel that the row reaches.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/avgpool/divisor.hpp"
#include "ops/avgpool_bwd/config.hpp"
#include "ops/pooling/arguments.hpp"
#include "ops/pooling/known_window.hpp"

#include <cstdint>
#include <functional>

namespace ck_tile::avgpool_bwd
{

using pooling::image_lengths;

struct arguments : pooling::window_arguments
{
    const void* out; // dY
    void* in;        // dX
    avgpool::divisor divisor;
    multi_index<2> patches;         // of an image
    pooling::patch_numbers numbers; // of these
    merge<2, dividers<2>> blocks;   // images, and blocks for one of them
    // For any window:
    dividers<2> strides;
    int patch_rows;       // of dX that a thread makes
    multi_index<2> reach; // rows of windows that may reach these, and windows of one that may reach a column, at most
};

// The windows that reach the first pixel of a thread, as pixels of dY: rows below have those of the other pixels.
template <config C>
class reaching_windows
    : public pooling::pixel_window<C.layout, const element_t<C.dtype>, C.column().stored_row_of_elements()>
{
    static constexpr distribution row = C.column().stored_row_of_elements();
    using base                        = pooling::pixel_window<C.layout, const element_t<C.dtype>, row>;

  public:
    CK_TILE_FN reaching_windows(const auto& patches, const auto* out, const image_lengths& size,
                                const auto& first_pixel, const arguments& a)
        : base(patches, out, size,
               [&](const auto& patch) {
                   multi_index<2> o = first_pixel(patch) + a.left_pad;
                   for(int d = 0; d < 2; ++d)
                       o[d] = o[d] < a.window[d] ? 0 : (o[d] - a.window[d]) / a.strides[d] + 1;
                   return o;
               }),
          a_(a)
    {
        for_each_thread<row>([&](thread t) {
            const multi_index<2> padded = first_pixel(patches[t]) + a.left_pad;
            const int last              = padded[1] / a.strides[1];
            rows_in_window_[t.copy]     = wrapped_difference(padded[0], wrapped_product(this->at(t)[0], a.stride[0]));
            columns_[t.copy] = wrapped_difference(last < a.output[1] ? last + 1 : a.output[1], this->at(t)[1]);
        });
    }

    CK_TILE_FN void move_to_columns(int x)
    {
        base::move_to_columns(x, [&](thread t) { return wrapped_difference(columns_[t.copy], x); });
    }

    // Which row of the windows of row y the thread's first pixel is in; the pixel below it is in the next one.
    CK_TILE_FN int row_in_window(thread t, int y) const
    {
        return wrapped_difference(rows_in_window_[t.copy], wrapped_product(y, a_.stride[0]));
    }
    // What window `beyond` counts for, in dimension d.
    CK_TILE_FN float share(thread t, int d, int beyond) const
    {
        const int from =
            wrapped_difference(wrapped_product(wrapped_sum(this->at(t)[d], beyond), a_.stride[d]), a_.left_pad[d]);
        return a_.divisor.of_all != 0 ? 1.f : 1.f / a_.divisor.count(d, from, a_.window[d]);
    }

  private:
    const arguments& a_;
    ck_tile::detail::per_thread<int, copies_of(row.threads())> rows_in_window_, columns_;
};

template <config C>
struct program
{
    static_assert(!check(C), "avgpool_bwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads;
    static constexpr int lds_bytes     = 0;
    using element                      = element_t<C.dtype>;
    using arguments                    = avgpool_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto coord        = a.blocks.map({static_cast<int>(b.at.x)});
        const image_lengths out = {a.channels, a.output[0], a.output[1]}, in = {a.channels, a.input[0], a.input[1]};
        const image_tensors image = {static_cast<const element*>(a.out) + coord[0] * out.elements(),
                                     static_cast<element*>(a.in) + coord[0] * in.elements(), out, in};
        const int first           = coord[1] * threads;
        if constexpr(C.any_window())
            make_columns(a, image, first);
        else
            make_patches(a, image, first);
    }

  private:
    // One image of each tensor.
    struct image_tensors
    {
        const element* out;
        element* in;
        image_lengths out_lengths, in_lengths;
    };

    // Where window, stride and pad are known.
    static constexpr pooling::patch_shape shape = C.patch();
    static CK_TILE_FN void make_patches(const arguments& a, const image_tensors& image, int first)
    {
        const auto windows = pooling::windows_of_patches<shape>(image.out, image.out_lengths, a.patches);
        const auto read    = [&](const multi_index<3>& origin) {
            return convert<float>(load(make_window<shape.row_of_windows()>(windows, origin)));
        };
        const auto add = [](const auto& sums, const auto& dy, auto number, int) {
            return map(std::plus{}, sums, subtile<shape.row_of_sums(), multi_index{0, number(), 0}>(dy));
        };
        const auto sums = pooling::sums_of_patch<shape>(first, read, add);
        pooling::store_patch<shape>(map(avgpool::division<C.dtype>(a.divisor.of_all), sums), image.in, image.in_lengths,
                                    a.patches, first);
    }

    // For any window.
    static CK_TILE_FN void make_columns(const arguments& a, const image_tensors& image, int first)
    {
        const pooling::thread_patches<C.layout, cell> own(first, a.numbers);
        const auto first_pixel = [&](const auto& patch) {
            return multi_index{wrapped_product(patch.at[0], a.patch_rows), patch.at[1]};
        };
        windows seen(own, image.out, image.out_lengths, first_pixel, a);
        seen.move_to_columns(0); // of every row, if that is all

        sums made[C.rows];
        for(sums& each : made)
            each = fill<float, cell>(0.f);
        for(int y = 0; y < a.reach[0]; ++y)
        {
            const sums here = sum_of_row(seen, y, a);
            for_each_thread<cell>([&](thread t) {
                const int first = seen.row_in_window(t, y);
                static_for<C.rows>([&](auto i) {
                    const bool reached = unsigned(wrapped_sum(first, i)) < unsigned(a.window[0]);
                    for_each_element<cell>([&](auto r, auto v) {
                        auto& sum = made[i].file_of(t); // by predicate: a NaN counts nowhere else
                        sum.set(r, v, sum.get(r, v) + (reached ? here.file_of(t).get(r, v) : 0.f));
                    });
                });
            });
        }

        pooling::pixel_window<C.layout, element, stored_cell> to(own, image.in, image.in_lengths, first_pixel);
        const avgpool::division<C.dtype> divide(a.divisor.of_all != 0 ? a.divisor.of_all : 1.f);
        static_for<C.rows>([&](auto i) {
            if(i >= a.patch_rows)
                return;
            to.move_to_row(i);
            store(to, renumber<stored_cell>(convert<element>(map(divide, made[i]))));
        });
    }

    static constexpr distribution cell = C.column().cell(), stored_cell = C.column().stored_cell();
    static constexpr int at_once = pooling::column_shape::elements_at_once;
    using sums                   = tile<float, cell>;
    using windows                = reaching_windows<C>;

    // Of row y of windows those that reach a thread's column.
    static CK_TILE_FN sums sum_of_row(windows& seen, int y, const arguments& a)
    {
        sums row = fill<float, cell>(0.f);
        seen.move_to_row(y);
        for(int x = 0; x < a.reach[1]; x += at_once)
        {
            if(a.reach[1] > at_once)
                seen.move_to_columns(x);
            const auto dy = convert<float>(renumber<C.column().row_of_elements()>(load(seen)));
            for_each_thread<cell>([&](thread t) {
                static_for<at_once>([&](auto i) {
                    const float share = seen.share(t, 1, x + i);
                    for_each_element<cell>([&](auto r, auto v) {
                        auto& sum = row.file_of(t);
                        sum.set(r, v, sum.get(r, v) + dy.file_of(t).get(i, v) * share);
                    });
                });
            });
        }
        for_each_thread<cell>([&](thread t) {
            const float share = seen.share(t, 0, y);
            for_each_element<cell>([&](auto r, auto v) { row.file_of(t).set(r, v, row.file_of(t).get(r, v) * share); });
        });
        return row;
    }
};

} // namespace ck_tile::avgpool_bwd
