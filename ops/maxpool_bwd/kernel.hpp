// SPDX-License-Identifier: MIT
// Max-pooling, backward, as a gather: a thread makes a patch of dX from the windows that reach it. Each element of dX is the
// sum of the gradients dY of those windows whose maximum it is, and is written once.
//
// Where window, stride and pad are known, a patch is some strides high and wide, its sums are registers, and which element of
// which window each of them is, the compiler knows. For any window the sums lie in LDS: the thread visits the windows that may
// reach its patch, and adds the gradient of each to the element that its index names. So what a window costs does not depend on
// how large it is; no other thread has these sums, so that there are no atomics, and nobody waits.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ops/maxpool_bwd/config.hpp"
#include "ops/pooling/arguments.hpp"
#include "ops/pooling/known_window.hpp"

#include <cstdint>
#include <utility>

namespace ck_tile::maxpool_bwd
{

using pooling::image_lengths;

struct arguments : pooling::window_arguments
{
    const void* out;                // dY
    const void* indices;            // of the maxima
    void* in;                       // dX
    multi_index<2> patches;         // of an image
    pooling::patch_numbers numbers; // of these
    merge<2, dividers<2>> blocks;   // images, and blocks for one of them
    // For any window:
    multi_index<2> patch; // its rows and columns
    multi_index<2> reach; // windows that may reach one, at most
    dividers<2> strides;
    divider row;            // what indices count rows of: windows, or the planes of dX
    unsigned row_magic = 0; // for u8, floor(2^16 / row) + 1
};

template <config C>
struct program
{
    static_assert(!check(C), "maxpool_bwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads;
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int channels      = C.channels(); // of a thread
    using element                      = element_t<C.dtype>;
    using index                        = maxpool::index_t<C.index>;
    using arguments                    = maxpool_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto coord          = a.blocks.map({static_cast<int>(b.at.x)});
        const image_tensors image = tensors_of(a, coord[0]);
        const int first           = coord[1] * threads;
        if constexpr(C.any_window())
            make_patches_of_any(b, a, image, first);
        else
            make_patches(a, image, first);
    }

  private:
    static constexpr distribution cells = C.row_of_sums();
    using sums                          = tile<float, cells>;
    // One image of each tensor.
    struct image_tensors
    {
        const element* out;
        const index* indices;
        element* in;
        image_lengths out_lengths, in_lengths;
    };

    static CK_TILE_FN image_tensors tensors_of(const arguments& a, int image)
    {
        const image_lengths out = {a.channels, a.output[0], a.output[1]}, in = {a.channels, a.input[0], a.input[1]};
        return {static_cast<const element*>(a.out) + image * out.elements(),
                static_cast<const index*>(a.indices) + image * out.elements(),
                static_cast<element*>(a.in) + image * in.elements(), out, in};
    }

    // Where window, stride and pad are known.
    static constexpr pooling::patch_shape shape = C.patch();
    static CK_TILE_FN void make_patches(const arguments& a, const image_tensors& image, int first)
    {
        const auto out     = pooling::windows_of_patches<shape>(image.out, image.out_lengths, a.patches);
        const auto indices = pooling::windows_of_patches<shape>(image.indices, image.out_lengths, a.patches);
        const auto read    = [&](const multi_index<3>& origin) {
            return std::pair{load(make_window<shape.row_of_windows()>(out, origin)),
                             load(make_window<shape.row_of_windows()>(indices, origin))};
        };
        // dY where the index is `key`: by predicate, so that a NaN counts nowhere else.
        const auto add_where = [](const auto& sums, const auto& windows, auto number, int key) {
            const auto add = [key](float sum, element d, index i) {
                return add_if_equal(sum, convert<float>(d), int(i), key);
            };
            return map(add, sums, subtile<shape.row_of_sums(), multi_index{0, number(), 0}>(windows.first),
                       subtile<shape.row_of_sums(), multi_index{0, number(), 0}>(windows.second));
        };
        pooling::store_patch<shape>(pooling::sums_of_patch<shape>(first, read, add_where), image.in, image.in_lengths,
                                    a.patches, first);
    }

    // For any window: the sums of a thread, a column of LDS for each of its channels. Threads side by side have columns side by
    // side, so that they meet different banks whatever their windows' indices are.
    struct patches_in_lds
    {
        lds_pointer<float> first;

        CK_TILE_FN int column(thread t) const { return first_element<cells, 0>(t); }
        CK_TILE_FN decltype(auto) at(int column, int pixel, int channel) const
        {
            return first[(pixel * channels + channel) * threads + column];
        }
        CK_TILE_FN void clear() const
        {
            for_each_thread<cells>([&](thread t) {
                static_for<C.rows * C.cols * channels>(
                    [&](auto i) { at(column(t), i / channels, i % channels) = 0.f; });
            });
        }
        // Adds dY to the pixels (row, column), if they are in the patch: else zero to the first one.
        CK_TILE_FN void add(thread t, const float (&dy)[channels], const multi_index<2> (&pixel)[channels]) const
        {
            int to[channels];
            float sum[channels];
            for(int v = 0; v < channels; ++v)
            {
                int row = pixel[v][0], col = pixel[v][1];
                make_opaque(row); // or compilers scale all that it is made of, as they would what `to` is
                const bool inside = (unsigned(row) < unsigned(C.rows)) & (unsigned(col) < unsigned(C.cols));
                to[v]             = inside ? row * C.cols + col : 0;
                make_opaque(to[v]);
                sum[v] = float(at(column(t), to[v], v)) + (inside ? dy[v] : 0.f);
            }
            for(int v = 0; v < channels; ++v)
                at(column(t), to[v], v) = sum[v];
        }
    };

    // The pixel that an index names, from the first one of a patch. `from`: where its window begins, or, for flat indices, the plane.
    static CK_TILE_FN multi_index<2> pixel_of(const arguments& a, int index, const multi_index<2>& from)
    {
        if constexpr(C.index == indices::u8)
        {
            const int y = static_cast<int>(unsigned(index) * a.row_magic >> 16), x = index - y * a.row.divisor;
            return from + scaled({y, x}, a.dilation);
        }
        else
            return from + multi_index{index / a.row, index % a.row};
    }

    static CK_TILE_FN multi_index<2> scaled(const multi_index<2>& at, const multi_index<2>& by)
    {
        return {wrapped_product(at[0], by[0]), wrapped_product(at[1], by[1])};
    }

    static CK_TILE_FN void make_patches_of_any(const block& b, const arguments& a, const image_tensors& image,
                                               int first)
    {
        constexpr distribution windows = C.row_of_windows();
        const patches_in_lds sums      = {b.lds_at<float>(0)};
        const pooling::thread_patches<C.layout, cells> own(first, a.numbers);
        const auto first_pixel = [&](const auto& patch) { return scaled(patch.at, a.patch); };
        // The first window that ends in the patch or beyond, or one before from which so many exist as may reach a patch.
        const auto first_window = [&](const auto& patch) {
            multi_index<2> o = first_pixel(patch);
            for(int d = 0; d < 2; ++d)
            {
                const int before = wrapped_sum(o[d], a.left_pad[d] - (a.window[d] - 1) * a.dilation[d]);
                const int ends = before > 0 ? (before - 1) / a.strides[d] + 1 : 0, last = a.output[d] - a.reach[d];
                o[d] = ends < last ? ends : last;
            }
            return o;
        };
        pooling::pixel_window<C.layout, const element, windows, true> gradients(own, image.out, image.out_lengths,
                                                                                first_window);
        pooling::pixel_window<C.layout, const index, windows, true> maxima(own, image.indices, image.out_lengths,
                                                                           first_window);
        // Where what indices count from lies, from the patch: the plane, or the first window.
        ck_tile::detail::per_thread<multi_index<2>, copies_of(threads)> begin;
        for_each_thread<cells>([&](thread t) {
            begin[t.copy] = multi_index<2>{} - first_pixel(own[t]);
            if constexpr(C.index == indices::u8)
                begin[t.copy] = begin[t.copy] + scaled(first_window(own[t]), a.stride) - a.left_pad;
        });

        const auto move_to_columns = [&](int x, int count) {
            gradients.move_to_columns(x, count);
            maxima.move_to_columns(x, count);
        };
        move_to_columns(0, a.reach[1]); // of every row, if that is all

        sums.clear();
        for(int y = 0; y < a.reach[0]; ++y)
        {
            gradients.move_to_row(y);
            maxima.move_to_row(y);
            for(int x = 0; x < a.reach[1]; x += C.windows_at_once)
            {
                const int count = a.reach[1] - x;
                if(a.reach[1] > C.windows_at_once)
                    move_to_columns(x, count);
                const auto dy = convert<float>(load(gradients));
                const auto at = load(maxima);
                for_each_thread<windows>([&](thread t) {
                    static_for<C.windows_at_once>([&](auto r) {
                        if(r >= count)
                            return;
                        multi_index<2> from = begin[t.copy];
                        if constexpr(C.index == indices::u8)
                            from = from + scaled({y, x + r}, a.stride);
                        float gradient[channels];
                        multi_index<2> pixel[channels];
                        for(int v = 0; v < channels; ++v)
                        {
                            gradient[v] = dy.file_of(t).get(r, v);
                            pixel[v]    = pixel_of(a, static_cast<int>(at.file_of(t).get(r, v)), from);
                        }
                        sums.add(t, gradient, pixel);
                    });
                });
            }
        }

        pooling::pixel_window<C.layout, element, cells> to(own, image.in, image.in_lengths, first_pixel);
        to.move_to_columns(0, a.patch[1]);
        for(int i = 0; i < a.patch[0]; ++i)
        {
            tile<float, cells> row;
            for_each_thread<cells>([&](thread t) {
                for_each_element<cells>(
                    [&](auto r, auto v) { row.file_of(t).set(r, v, sums.at(sums.column(t), i * C.cols + r, v)); });
            });
            to.move_to_row(i);
            store(to, convert<element>(row));
        }
    }
};

} // namespace ck_tile::maxpool_bwd
