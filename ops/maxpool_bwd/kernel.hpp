// SPDX-License-Identifier: MIT
// Max-pooling, backward, as a gather: a thread makes a patch of dX from the windows that reach it. Each element of dX is the
// sum of the gradients dY of those windows whose maximum it is, and is written once.
//
// Where window, stride and pad are known, a patch is some strides high and wide, and which element of which window each of
// its elements is, the compiler knows. For any window, a block makes the elements of one residue class of dX modulo the
// stride, which the same elements of windows meet: i = q * stride + r and i + pad = o * stride + y * dilation, so element y
// of window o = q - (y * dilation - r - pad) / stride, where that is a whole number.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/subtile.hpp"
#include "ops/maxpool_bwd/config.hpp"

#include <cstdint>

namespace ck_tile::maxpool_bwd
{

using maxpool::field;
using maxpool::image_lengths;

struct arguments
{
    const void* out;     // dY
    const void* indices; // of the maxima
    void* in;            // dX
    int batch, channels;
    multi_index<2> input, output, window, stride, dilation, left_pad;
    multi_index<2> patches;         // of an image, and of one class
    maxpool::patch_numbers numbers; // of these
    dividers<2> strides;
    // Images; rows and columns of classes of dX, for any window as many as the stride, or the input is long, else 1; blocks for one of them.
    merge<4, dividers<4>> blocks;
};

template <config C>
struct program
{
    static_assert(!check(C), "maxpool_bwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads;
    static constexpr int lds_bytes     = 0;
    using element                      = element_t<C.dtype>;
    using index                        = maxpool::index_t<C.index>;
    using arguments                    = maxpool_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto coord          = a.blocks.map({static_cast<int>(b.at.x)});
        const image_tensors image = tensors_of(a, coord[0]);
        const int first           = coord[3] * threads;
        if constexpr(C.any_window())
            make_class(a, image, first, {coord[1], coord[2]});
        else
            make_patches(a, image, first);
    }

  private:
    static constexpr distribution cells = C.row_of_sums();
    using sums                          = tile<float, cells>;
    using patches                       = maxpool::pixel_patches<C.layout, cells>;
    template <class T>
    using window = maxpool::pixel_window<C.layout, T, cells>;

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

    // One image of a tensor in patches.
    static CK_TILE_FN auto patches_of(auto* data, const image_lengths& image, const arguments& a, const field& f)
    {
        return maxpool::patches_of<C.layout, C.vector>(data, image, a.patches, f);
    }

    // The sums, and dY where the index is `key` (more exactly, key and the element of `own`): by predicate, so that a NaN
    // counts nowhere else.
    static CK_TILE_FN sums add_where(const sums& x, const tile<element, cells>& dy, const tile<index, cells>& at,
                                     int key, const auto&... own)
    {
        const auto add = [key](float sum, element d, index i, auto... me) {
            return add_if_equal(sum, convert<float>(d), int(i), (key + ... + me));
        };
        return map(add, x, dy, at, own...);
    }

    // Where window, stride and pad are known: a patch, a row of it in phases. Phase j has the elements j, j + stride, ...
    static constexpr int height = C.patch_height(), width = C.patch_width(), phases = C.any_window() ? 1 : C.stride;
    using patch_sums = sums[height][phases];

    // Adds the gradients of one row of windows, whose first row is row `Top` of the patch, to the rows that it reaches.
    template <int Top>
    static CK_TILE_FN void add_row(patch_sums& patch, const auto& out, const auto& indices,
                                   const multi_index<3>& origin)
    {
        const auto dy = load(make_window<C.row_of_windows()>(out, origin));
        const auto at = load(make_window<C.row_of_windows()>(indices, origin));
        static_for<C.window>([&](auto x) { // these elements of the windows are phase j of the rows
            constexpr int j = (x + C.window * phases - C.left_pad) % phases;
            constexpr int window =
                (j + C.left_pad - x) / phases - C.windows_read().first; // that element j is element x of
            const auto dy_here = subtile<cells, multi_index{0, window, 0}>(dy);
            const auto at_here = subtile<cells, multi_index{0, window, 0}>(at);
            static_for<height>([&](auto i) {
                constexpr int y = i - Top;
                if constexpr(y >= 0 && y < C.window)
                    patch[i][j] = add_where(patch[i][j], dy_here, at_here, y * C.window + x);
            });
        });
    }

    static CK_TILE_FN void make_patches(const arguments& a, const image_tensors& image, int first)
    {
        constexpr auto rows = C.windows_over(height), read = C.windows_read();
        constexpr field seen = {
            .left = {-rows.first, -read.first}, .step = {C.rows, C.cols}, .height = rows.count, .width = read.count};
        const auto out     = patches_of(image.out, image.out_lengths, a, seen);
        const auto indices = patches_of(image.indices, image.out_lengths, a, seen);

        patch_sums phase_of_row;
        static_for<height * phases>([&](auto i) { phase_of_row[i / phases][i % phases] = fill<float, cells>(0.f); });
        static_for<rows.count>([&](auto row) {
            constexpr int top = (rows.first + row) * C.stride - C.left_pad;
            add_row<top>(phase_of_row, out, indices, {first, row * read.count, 0});
        });

        tile<float, C.whole_patch()> patch;
        static_for<height * phases>([&](auto n) {
            constexpr int i = n / phases, j = n % phases;
            set_subtile<multi_index{0, i * width + j, 0}, multi_index{1, phases, 1}>(patch, phase_of_row[i][j]);
        });
        constexpr field own = {.left = {0, 0}, .step = {height, width}, .height = height, .width = width};
        store(make_window<C.whole_patch()>(patches_of(image.in, image.in_lengths, a, own), multi_index{first, 0, 0}),
              convert<element>(patch));
    }

    // How far an element of windows lies behind the element of dX in class r that is its window's: y * dilation - r - pad, in whole
    // strides and a rest. Where there is a rest, no window has it in this class.
    struct class_distance
    {
        int strides;
        unsigned rest; // in its steps, of as many as a stride and less: both together need 32 bits
        int step_strides;
        unsigned step_rest, stride;

        CK_TILE_FN class_distance(const arguments& a, const multi_index<2>& r, int d)
            : step_strides(a.dilation[d] / a.strides[d]),
              step_rest(unsigned(a.dilation[d] % a.strides[d])),
              stride(unsigned(a.stride[d]))
        {
            const int before = r[d] + a.left_pad[d];
            strides          = before > 0 ? -((before - 1) / a.strides[d]) - 1 : 0;
            rest             = before > 0 ? stride - 1 - unsigned((before - 1) % a.strides[d]) : 0;
        }
        CK_TILE_FN void next()
        {
            rest += step_rest;
            const bool carry = rest >= stride;
            rest -= carry ? stride : 0;
            strides = wrapped_sum(strides, step_strides + carry); // one step more than there are elements
        }
    };

    // For any window: the elements of class r.
    static CK_TILE_FN void make_class(const arguments& a, const image_tensors& image, int first,
                                      const multi_index<2>& r)
    {
        const patches own(first, a.numbers);
        window<element> to(own, image.in, image.in_lengths, a.stride, multi_index<2>{} - r);
        window<const element> gradients(own, image.out, image.out_lengths, {1, 1}, {});
        window<const index> maxima(own, image.indices, image.out_lengths, {1, 1}, {});

        class_distance rows(a, r, 0), cols(a, r, 1);
        const auto pixels = to.pixels();
        auto sum          = fill<float, cells>(0.f);
        for(int y = 0; y < a.window[0]; ++y, rows.next())
        {
            class_distance beside = cols;
            for(int x = 0; rows.rest == 0 && x < a.window[1]; ++x, beside.next())
            {
                if(beside.rest != 0)
                    continue;
                gradients.move_to({-rows.strides, -beside.strides});
                maxima.move_to({-rows.strides, -beside.strides});
                const auto dy = load(gradients);
                const auto at = load(maxima);
                if constexpr(C.index == indices::u8)
                    sum = add_where(sum, dy, at, y * a.window[1] + x);
                else
                    sum = add_where(sum, dy, at, 0, pixels);
            }
        }
        store(to, convert<element>(sum));
    }
};

} // namespace ck_tile::maxpool_bwd
