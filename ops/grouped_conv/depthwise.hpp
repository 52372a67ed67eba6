// SPDX-License-Identifier: MIT
// Depthwise convolutions, of one channel per group, by multiply-adds: a thread slides over a few output pixels of a few channels, next to
// each other, and reads each pixel of X that they need from LDS, where a region's halo lies as [pixel, channel], once for each of its rows.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/tile.hpp"
#include "ops/grouped_conv/region_grid.hpp"

#include <cstddef>
#include <type_traits>

namespace ck_tile::conv
{

// How the threads share [rows, channels], rows being pixels of patches: a wave's lanes have vectors of 4 bytes of the channels of a few
// patches, one below the other.
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
// What is read of LDS where it is used, again and again, the checker is told of once: so many elements, `Together` at a time.
template <int Together, class T>
CK_TILE_FN void check_lds_elements(const T* from, int count)
{
    if constexpr(checks_programs)
        for(int i = 0; i < count; i += Together)
            check_lds_read(from + i, Together * sizeof(T));
}

// Elements of LDS from a multiple of 4 bytes on, read a word at a time where they are used. Of these, and of a run, the checker has
// been told.
template <class T>
struct words_of
{
    static constexpr int together = 4 / sizeof(T);
    const T* from;

    CK_TILE_FN float operator[](int i) const
    {
        T some[together];
        __builtin_memcpy(some, __builtin_assume_aligned(from + i / together * together, 4), sizeof some);
        return convert<float>(some[i % together]);
    }
};

// So many elements of LDS, 4 bytes or more, one of several runs that lie side by side.
template <class T, int N>
struct run_of
{
    static constexpr std::size_t alignment = (N & -N) * sizeof(T);
    T at[N];
    CK_TILE_FN explicit run_of(const T* from)
    {
        __builtin_memcpy(at, __builtin_assume_aligned(from, alignment), sizeof at);
    }
    CK_TILE_FN float operator[](int i) const { return convert<float>(at[i]); }
};
} // namespace detail

// How far apart the channels are that those of a thread see: neighbours, or known at run time, as of groups that have more channels on one side.
using neighbours = std::integral_constant<int, 1>;

namespace detail
{
template <int N, class T, class Step>
CK_TILE_FN void check_channels(const T* from, Step step)
{
    if constexpr(std::is_same_v<Step, neighbours>)
        check_lds_read(from, N * sizeof(T));
    else
        CK_TILE_UNROLL
    for(int v = 0; v < N; ++v)
        check_lds_read(from + v * step, sizeof(T));
}
// Of which the checker has been told.
template <int N, class T, class Step>
CK_TILE_FN void read_checked_channels(float (&to)[N], const T* from, Step step)
{
    if constexpr(std::is_same_v<Step, neighbours>)
    {
        const run_of<T, N> some(from);
        CK_TILE_UNROLL
        for(int v = 0; v < N; ++v)
            to[v] = some[v];
    }
    else
        CK_TILE_UNROLL
    for(int v = 0; v < N; ++v)
        to[v] = convert<float>(from[v * step]);
}
template <int N, class T, class Step>
CK_TILE_FN void read_channels(float (&to)[N], const T* from, Step step)
{
    check_channels<N>(from, step);
    read_checked_channels(to, from, step);
}
} // namespace detail

// multiply(pixel of the patch, tap, what is loaded of a pixel of the halo) for each pixel of the halo and each window of a patch that sees it, a
// row of the halo after the other; taps of a sum ascend forward. halo.load(to, j) gives pixel j of a row, halo.next() goes to the next one.
template <direction Made, known_window Known, patch Patch, class Seen, class Rows, class Multiply>
CK_TILE_FN void slide_over(Rows& halo, Multiply&& multiply)
{
    constexpr int stride = Known.stride;
    constexpr int rows   = lines_seen(Made, Patch.rows, Known.rows, stride),
                  cols   = lines_seen(Made, Patch.cols, Known.cols, stride);
    register_for<rows>([&](auto i) __attribute__((always_inline)) {
        Seen pixel[cols];
        CK_TILE_UNROLL
        for(int j = 0; j < cols; ++j)
            halo.load(pixel[j], j);
        CK_TILE_UNROLL
        for(int number = 0; number < Patch.rows * Patch.cols * Known.cols; ++number)
        {
            const int r = number / (Patch.cols * Known.cols), c = number / Known.cols % Patch.cols,
                      x = number % Known.cols;
            const int y = tap_between(Made, i, r, Known.rows, stride), j = line_between(Made, x, c, Known.cols, stride);
            if(y >= 0 && y < Known.rows && j >= 0) [[clang::always_inline]]
                multiply(r * Patch.cols + c, y * Known.cols + x, pixel[j]);
        }
        halo.next();
        schedule_fence(); // what later rows are is not loaded before, for which there would have to be registers
    });
}

// The same of a thread that has a few channels: multiply(pixel, tap, values of the channels).
template <direction Made, known_window Known, patch Patch, int Vector, class T, auto Layout, class Multiply>
CK_TILE_FN void slide(const lds_tile<T, Layout>& x, int halo_cols, int first, int channel, Multiply&& multiply)
{
    struct
    {
        const T* row;
        int pitch;

        CK_TILE_FN void load(float (&to)[Vector], int j) const
        {
            detail::read_channels(to, row + j * Layout.line(), neighbours{});
        }
        CK_TILE_FN void next() { row += pitch; }
    } rows{x.at(first, channel), halo_cols * Layout.line()};
    slide_over<Made, Known, Patch, float[Vector]>(rows, multiply);
}

// The line of the halo that a pixel of a patch meets along a dimension through a tap of any window: -1, if none.
template <direction Made>
CK_TILE_FN int line_of_any(const region_shape& region, int d, int tap, int pixel)
{
    const int beyond = tap * region.dilation[d];
    if constexpr(Made == direction::backward_data)
    {
        const int lines = (region.window[d] - 1) * region.dilation[d] / region.stride[d] + 1;
        const int at    = pixel - beyond + lines * region.stride[d];
        return at % region.stride[d] == 0 ? at / region.stride[d] - 1 : -1;
    }
    else
        return pixel * region.stride[d] + beyond;
}

// multiply(pixel of the patch, values of the channels) for each pixel of a thread's patch that tap (i, j) of any window meets.
template <direction Made, patch Patch, int Vector, class T, auto Layout, class Multiply, class Step = neighbours>
CK_TILE_FN void visit_tap(const lds_tile<T, Layout>& x, const region_shape& region, int first, int channel, int i,
                          int j, Multiply&& multiply, Step step = {})
{
    const T* from = x.at(first, channel);
    CK_TILE_UNROLL
    for(int r = 0; r < Patch.rows; ++r)
        if(const int y = line_of_any<Made>(region, 0, i, r); y >= 0)
            CK_TILE_UNROLL
    for(int c = 0; c < Patch.cols; ++c)
        if(const int col = line_of_any<Made>(region, 1, j, c); col >= 0)
        {
            float values[Vector];
            detail::read_channels(values, from + (y * region.halo_cols.divisor + col) * Layout.line(), step);
            [[clang::always_inline]] multiply(r * Patch.cols + c, values);
        }
}

// The same for all taps of a window whose neighbours along a row see neighbouring pixels, a few taps at a time, which share what is read:
// multiply(pixel, tap, values).
template <direction Made, patch Patch, int Vector, class T, auto Layout, class Multiply, class Step = neighbours>
CK_TILE_FN void visit_runs(const lds_tile<T, Layout>& x, const region_shape& region, int first, int channel,
                           Multiply&& multiply, Step step = {})
{
    constexpr int run = 8, pixels = Patch.cols + run - 1;
    const int taps = region.window[1], last = taps + Patch.cols - 2; // tap of a row; pixel that they see
    CK_TILE_KEEP_LOOP
    for(int i = 0; i < region.window[0]; ++i)
        CK_TILE_KEEP_LOOP
    for(int begin = 0; begin < taps; begin += run)
        CK_TILE_UNROLL
    for(int r = 0; r < Patch.rows; ++r)
        if(const int y = line_of_any<Made>(region, 0, i, r); y >= 0)
        {
            const T* from = x.at(first, channel) + y * region.halo_cols.divisor * Layout.line();
            float values[pixels][Vector];
            CK_TILE_UNROLL
            for(int p = 0; p < pixels; ++p)
            {
                const int at   = begin + p < last ? begin + p : last;
                const T* pixel = from + at * Layout.line();
                if(begin + p <= last) // else the last one, again
                    detail::check_channels<Vector>(pixel, step);
                detail::read_checked_channels(values[p], pixel, step);
            }
            CK_TILE_UNROLL
            for(int n = 0; n < run; ++n)
                if(const int seen = begin + n; seen < taps)
                    CK_TILE_UNROLL
            for(int c = 0; c < Patch.cols; ++c) [[clang::always_inline]]
                multiply(r * Patch.cols + c, i * taps + (Made == direction::backward_data ? taps - 1 - seen : seen),
                         values[c + n]);
        }
}

// The same for all taps of any window, one after the other.
template <direction Made, patch Patch, int Vector, class T, auto Layout, class Multiply, class Step = neighbours>
CK_TILE_FN void visit_taps(const lds_tile<T, Layout>& x, const region_shape& region, int first, int channel,
                           Multiply&& multiply, Step step = {})
{
    if(region.stride[1] == 1 && region.dilation[1] == 1)
        return visit_runs<Made, Patch, Vector>(x, region, first, channel, multiply, step);
    CK_TILE_KEEP_LOOP
    for(int i = 0, tap = 0; i < region.window[0]; ++i)
        CK_TILE_KEEP_LOOP
    for(int j = 0; j < region.window[1]; ++j, ++tap)
        visit_tap<Made, Patch, Vector>(
            x, region, first, channel, i, j, [&](int pixel, const float* values) { multiply(pixel, tap, values); },
            step);
}

// Of a window that the compiler knows, whose channels are neighbours, or of any.
template <direction Made, known_window Known, patch Patch, int Vector, class T, auto Layout, class Multiply,
          class Step = neighbours>
CK_TILE_FN void each_product(const lds_tile<T, Layout>& x, const region_shape& region, int first, int channel,
                             Multiply&& multiply, Step step = {})
{
    static_assert(Known.any() || std::is_same_v<Step, neighbours>);
    if constexpr(Known.any())
        visit_taps<Made, Patch, Vector>(x, region, first, channel, multiply, step);
    else
        slide<Made, Known, Patch, Vector>(x, region.halo_cols.divisor, first, channel, multiply);
}

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
            const int first = region.first_input(number, inside / Whole.cols, inside % Whole.cols);
            const auto add  = [&](int pixel, const float* values, auto&& weight) {
                CK_TILE_UNROLL
                for(int v = 0; v < D.vecs(); ++v)
                    sum[pixel][v] = __builtin_fmaf(values[v], weight(v), sum[pixel][v]);
            };
            if constexpr(Known.any())
            {
                const int taps = product(region.window);
                detail::check_lds_elements<1>(weights + channel * taps, D.vecs() * taps);
                visit_taps<direction::forward, own, D.vecs()>(
                    x, region, first, channel, [&](int pixel, int tap, const float* values) {
                        add(pixel, values, [&](int v) { return convert<float>(weights[(channel + v) * taps + tap]); });
                    });
            }
            else
            {
                constexpr int own_weights = D.vecs() * Known.taps();
                constexpr bool at_once    = own_weights * sizeof(T) <= 128; // else they would fill the registers
                const T* from             = weights + channel * Known.taps();
                detail::check_lds_elements<at_once ? own_weights : detail::words_of<T>::together>(from, own_weights);
                const std::conditional_t<at_once, detail::run_of<T, own_weights>, detail::words_of<T>> weight{from};
                slide<direction::forward, Known, own, D.vecs()>(
                    x, region.halo_cols.divisor, first, channel, [&](int pixel, int tap, const float* values) {
                        add(pixel, values, [&](int v) { return weight[v * Known.taps() + tap]; });
                    });
            }
        }
        for_each_element<D>([&](auto r, auto v) { sums.file_of(t).set(r, v, sum[r][v]); });
    });
    return sums;
}

} // namespace ck_tile::conv
