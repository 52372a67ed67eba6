// SPDX-License-Identifier: MIT
// Depthwise convolutions, of one channel per group, by multiply-adds: a thread slides over a few output pixels of a few channels, next to
// each other, and reads each pixel of X that they need from LDS once for each of its rows.
//
// A block computes a region: patches of some pixels, which a thread has each, in rows and columns of some images. What its windows see of X,
// the halo, lies in LDS as [pixel, channel].
#pragma once

#include "ck_tile/core/gather_window.hpp"
#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/tile.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/views.hpp"

namespace ck_tile::conv
{

// Output pixels that a thread computes of a channel.
struct patch
{
    int rows, cols;

    constexpr int pixels() const { return rows * cols; }
    // The patch of a thread that has `times` fewer pixels, a power of two: of fewer rows, then of fewer columns.
    constexpr patch smaller(int times) const
    {
        const int fewer = times < rows ? times : rows;
        return {rows / fewer, cols * fewer / times};
    }
    friend constexpr bool operator==(const patch&, const patch&) = default;
};

// What of a depthwise convolution a compiler knows: the length of the filter and the stride, the same along both dimensions, the dilation
// being 1; 0: it knows none of them.
struct known_window
{
    int filter, stride;

    constexpr bool any() const { return filter == 0; }
};

// Patches of a region, and the pixels of X that it needs.
struct region_shape
{
    int images;
    divider rows, cols;                      // patches of an image
    divider halo_rows, halo_cols;            // pixels of an image
    multi_index<2> window, stride, dilation; // of the convolution; window: lengths of the filter

    CK_TILE_FN constexpr int patches() const { return images * rows.divisor * cols.divisor; }
    CK_TILE_FN constexpr int halo() const { return images * halo_rows.divisor * halo_cols.divisor; }

    // The first pixel of the halo that the window of pixel (row, col) of a patch sees.
    CK_TILE_FN int first_input(int number, patch each, int row, int col) const
    {
        const int rest = number / cols, image = rest / rows;
        const int y = (rest - image * rows.divisor) * each.rows + row,
                  x = (number - rest * cols.divisor) * each.cols + col;
        return (image * halo_rows.divisor + y * stride[0]) * halo_cols.divisor + x * stride[1];
    }
};

// How the threads share [pixels of patches x channels], `pixels` to a channel of theirs in all: a wave's lanes have vectors of 4 bytes of
// the channels of a few patches, one below the other.
constexpr distribution depthwise_rows(int waves, int lanes, int rows, int channels, int vector)
{
    const int across = channels / vector, down = lanes / across, own = rows / (waves * down); // lanes; pixels
    return {.lengths = {rows, channels},
            .wave    = {{waves, 0, own * down}},
            .lane    = {{across, 1, vector}, {down, 0, own}},
            .reg     = {{own, 0, 1}},
            .vec     = {{vector, 1, 1}}};
}

namespace detail
{
// So many elements of LDS, from a multiple of 4 bytes on.
template <class T, int N>
struct run_of
{
    T at[N];
    CK_TILE_FN explicit run_of(const T* from) { __builtin_memcpy(at, __builtin_assume_aligned(from, 4), sizeof at); }
    CK_TILE_FN float operator[](int i) const { return convert<float>(at[i]); }
};

// The sums of a thread whose window the compiler knows: sums[pixel of the patch][channel].
template <known_window Known, patch Patch, int Vector, class T, auto Layout, class Sums>
CK_TILE_FN void slide(const lds_tile<T, Layout>& x, const T* weights, const region_shape& region, int first,
                      int channel, Sums& sums)
{
    constexpr int taps = Known.filter * Known.filter, rows = (Patch.rows - 1) * Known.stride + Known.filter,
                  cols = (Patch.cols - 1) * Known.stride + Known.filter;
    const run_of<T, Vector * taps> weight(weights + channel * taps);
    const T* row = x.at(first, channel);
    CK_TILE_UNROLL
    for(int i = 0; i < rows; ++i, row += region.halo_cols.divisor * Layout.line())
    {
        float pixel[cols][Vector];
        CK_TILE_UNROLL
        for(int j = 0; j < cols; ++j)
        {
            const run_of<T, Vector> some(row + j * Layout.line());
            CK_TILE_UNROLL
            for(int v = 0; v < Vector; ++v)
                pixel[j][v] = some[v];
        }
        CK_TILE_UNROLL
        for(int r = 0; r < Patch.rows; ++r)
        {
            const int y = i - r * Known.stride; // of the filter
            if(y < 0 || y >= Known.filter)
                continue;
            CK_TILE_UNROLL
            for(int c = 0; c < Patch.cols; ++c)
                CK_TILE_UNROLL
            for(int tap = 0; tap < Known.filter; ++tap)
                CK_TILE_UNROLL
            for(int v = 0; v < Vector; ++v)
            {
                float& sum = sums[r * Patch.cols + c][v];
                sum = __builtin_fmaf(pixel[c * Known.stride + tap][v], weight[v * taps + y * Known.filter + tap], sum);
            }
        }
    }
}

// The same of any window, tap after tap.
template <patch Patch, int Vector, class T, auto Layout, class Sums>
CK_TILE_FN void visit_taps(const lds_tile<T, Layout>& x, const T* weights, const region_shape& region, int first,
                           int channel, Sums& sums)
{
    const int taps = product(region.window);
    CK_TILE_KEEP_LOOP
    for(int i = 0; i < region.window[0]; ++i)
        CK_TILE_KEEP_LOOP
    for(int j = 0; j < region.window[1]; ++j)
    {
        const T* from =
            x.at(first + i * region.dilation[0] * region.halo_cols.divisor + j * region.dilation[1], channel);
        const T* weight = weights + channel * taps + i * region.window[1] + j;
        float factor[Vector];
        CK_TILE_UNROLL
        for(int v = 0; v < Vector; ++v)
            factor[v] = convert<float>(weight[v * taps]);
        CK_TILE_UNROLL
        for(int r = 0; r < Patch.rows; ++r)
            CK_TILE_UNROLL
        for(int c = 0; c < Patch.cols; ++c)
        {
            const run_of<T, Vector> some(
                from + (r * region.stride[0] * region.halo_cols.divisor + c * region.stride[1]) * Layout.line());
            CK_TILE_UNROLL
            for(int v = 0; v < Vector; ++v)
            {
                float& sum = sums[r * Patch.cols + c][v];
                sum        = __builtin_fmaf(some[v], factor[v], sum);
            }
        }
    }
}
} // namespace detail

// The convolution of the region's pixels, [patches x pixels, channels], as D distributes them: pixels of whole patches `Whole`, of which a
// thread may have a part. `weights`: [channel][tap]; `start`: what the sums of each channel begin with, all of patches that the region does
// not have.
template <known_window Known, patch Whole, distribution D, class T, auto Layout, class Start>
CK_TILE_FN tile<float, D> depthwise(const lds_tile<T, Layout>& x, const T* weights, const region_shape& region,
                                    const Start& start)
{
    constexpr patch own = Whole.smaller(Whole.pixels() / D.regs());
    static_assert(own.pixels() == D.regs(), "depthwise: a thread has the pixels of a patch, or a part of one");
    tile<float, D> sums;
    for_each_thread<D>([&](thread t) {
        const int row = first_element<D, 0>(t), channel = first_element<D, 1>(t);
        const int number = row / Whole.pixels(), inside = row % Whole.pixels();
        float sum[own.pixels()][D.vecs()];
        for_each_element<D>([&](auto r, auto v) { sum[r][v] = start.file_of(t).get(0, v); });
        if(number < region.patches())
        {
            const int first = region.first_input(number, Whole, inside / Whole.cols, inside % Whole.cols);
            if constexpr(Known.any())
                detail::visit_taps<own, D.vecs()>(x, weights, region, first, channel, sum);
            else
                detail::slide<Known, own, D.vecs()>(x, weights, region, first, channel, sum);
        }
        for_each_element<D>([&](auto r, auto v) { sums.file_of(t).set(r, v, sum[r][v]); });
    });
    return sums;
}

} // namespace ck_tile::conv
