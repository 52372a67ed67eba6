// SPDX-License-Identifier: MIT
// Tensors of implicit GEMMs as the copy engine takes boxes of them (gemm::box_operand): matrices as they lie, and images through windows,
// where the pipeline takes them. Elements have 2 bytes, as those have that such instructions take from LDS.
#pragma once

#include "ck_tile/gemm/box_operand.hpp"
#include "ops/grouped_conv/arguments.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/residue.hpp"

#include <array>
#include <cstddef>
#include <limits>

namespace ck_tile::conv
{

inline constexpr int box_elements = 64, box_element_bytes = 2;   // along the contiguous dimension: channels
inline constexpr int all_rows = std::numeric_limits<int>::max(); // of an operand whose boxes have whole tiles of rows

// What a kernel's arguments have of them: of an operand that is a matrix in memory, and of images through windows of `Kinds` kinds.
template <int Kinds>
struct operand_boxes
{
    tensor_map matrix, windows[Kinds];
};

// Rejects problems whose boxes would have channels of two taps or none, and those of no image. `q` is what kernels compute.
void need_whole_boxes(status& rules, const problem& q);

// W as [G, K, taps x C], whose boxes have so many channels: what forward has.
tensor_map boxes_of_weight_rows(const void* wei, const arguments& a, int channels);
struct weight_row_box
{
    static constexpr bool all_panels = false;

    int group;

    CK_TILE_FN int line(int channel) const { return channel; }
    CK_TILE_FN tensor_map::coord operator()(int channel, int l, int) const { return {l, channel, group, 0}; }
};

// W as [G, taps x C / 64, K, 64], turned, whose boxes have so many channels of Y, and of X, from those of one tap on: what backward data has. Behind the
// last channel of a tap are those of the next one, which nobody wants.
tensor_map boxes_of_weight_columns(const void* wei, const arguments& a, int out_channels, int in_channels);
template <int S>
struct weight_column_box
{
    static constexpr bool all_panels = true;

    const arguments* all;
    residue_class<S> of_class;
    int group;

    struct tap_channel
    {
        int tap, k;
    };
    CK_TILE_FN tap_channel line(int l) const
    {
        int rest = l / all->by_k, tap = 0, next = 1; // taps; and taps from one along the dimension to the next
        const int k                 = l - rest * all->k;
        const multi_index<S> filter = used<S>(all->filter);
        CK_TILE_UNROLL
        for(int d = S - 1; d >= 0; --d)
        {
            const residue& along = of_class.along[d];
            const int turns      = rest / along.by_taps;
            tap += (along.first_tap + (rest - turns * along.by_taps.divisor) * along.tap_step) * next;
            next *= filter[d], rest = turns;
        }
        return {tap, k};
    }
    CK_TILE_FN tensor_map::coord operator()(const tap_channel& line, int channel, int) const
    {
        return {0, line.k, line.tap * (all->c / box_elements) + channel / box_elements, group};
    }
};

// dY as [pixels of all images, G, K], turned, whose boxes have so many pixels: what backward weight has.
tensor_map boxes_of_pixels(const void* images, const arguments& a, int pixels);
struct pixel_box
{
    static constexpr bool all_panels = false;

    int group;

    CK_TILE_FN int line(int pixel) const { return pixel; }
    CK_TILE_FN tensor_map::coord operator()(int pixel, int channel, int) const { return {channel, group, pixel, 0}; }
};

// Windows of images along their last two dimensions, of which dimension 1 of a tensor_map is the last one.
struct window_range
{
    int positions, first, stride; // the first window begins so many pixels after the first one
    int reach;                    // of the last tap, in pixels from the first one
};
using window_ranges = std::array<window_range, 2>; // rows, columns
window_ranges input_windows_of(const arguments& a);
window_ranges windows_of_class(const residue_class<3>& c); // of dY
// Rejects those that the engine has no boxes of, of images of such lengths: it counts where they begin, how far they reach, and from one to the
// next in a few bits.
void need_boxes_of_windows(status& rules, const multi_index<3>& lengths, const window_ranges& ranges);
// Both, of X, if no rule is broken yet.
void need_boxes_of_input(status& rules, const problem& q);
// X, or dY of a class, in boxes of so many windows.
tensor_map boxes_of_input_windows(const void* in, const arguments& a, int windows);
tensor_map boxes_of_class_windows(const void* out, const arguments& a, const residue_class<3>& c, int windows);

// The windows of forward: a tile's first one, and the taps of a step.
struct input_window_box
{
    static constexpr bool all_panels = false;

    const arguments* all;
    tensor_map::coord first;

    CK_TILE_FN input_window_box(const arguments& a, const pixel_range& pixels, int group) : all(&a)
    {
        const int row = pixels.begin / a.by_output[2], col = pixels.begin - row * a.output[2];
        first = {group * a.c, col * a.stride[2] - a.left_pad[2], row * a.stride[1] - a.left_pad[1], pixels.image};
    }

    CK_TILE_FN int line(int) const { return 0; } // all that a tile has
    CK_TILE_FN tensor_map::tap_coord operator()(int, int l, int) const
    {
        const int tap = l / all->by_c, row = tap / all->by_filter[2], col = tap - row * all->filter[2];
        tensor_map::coord at = first;
        at[0] += l - tap * all->c;
        return {at, {col * all->dilation[2], row * all->dilation[1]}};
    }
};

// Those of backward weight: the windows of a step, and the taps of so many panels of a tile.
template <int Panels>
struct input_tap_box
{
    static constexpr bool all_panels = false;

    const arguments* all;
    int image;
    int channel[Panels], tap[Panels][2];

    CK_TILE_FN input_tap_box(const arguments& a, const pixel_range& pixels, int group, int first_row)
        : all(&a), image(pixels.image)
    {
        CK_TILE_UNROLL
        for(int p = 0; p < Panels; ++p)
        {
            const int l = first_row + p * box_elements, of_tap = l / a.by_c, row = of_tap / a.by_filter[2];
            tap[p][0]  = (of_tap - row * a.filter[2]) * a.dilation[2];
            tap[p][1]  = row * a.dilation[1];
            channel[p] = group * a.c + l - of_tap * a.c;
        }
    }

    CK_TILE_FN tensor_map::coord line(int pixel) const
    {
        const int beyond = pixel / all->by_pixels, here = pixel - beyond * all->by_pixels.divisor,
                  row = here / all->by_output[2], col = here - row * all->output[2];
        return {0, col * all->stride[2] - all->left_pad[2], row * all->stride[1] - all->left_pad[1], image + beyond};
    }
    CK_TILE_FN tensor_map::tap_coord operator()(const tensor_map::coord& line, int, int panel) const
    {
        return {{channel[panel], line[1], line[2], line[3]}, {tap[panel][0], tap[panel][1]}};
    }
};

// Those of backward data: a tile's first window of a class, and the taps of a step, from the last one on.
template <int S>
struct class_window_box
{
    static constexpr bool all_panels = false;

    const arguments* all;
    residue along[2];
    tensor_map::coord first;

    CK_TILE_FN class_window_box(const arguments& a, const residue_class<S>& c, const pixel_range& inputs, int group)
        : all(&a), along{}
    {
        if constexpr(S > 1)
            along[0] = c.along[S - 2];
        along[1]      = c.along[S - 1];
        const int row = inputs.begin / along[1].by_positions, col = inputs.begin - row * along[1].positions;
        first = {group * a.k, col + start(1), S > 1 ? row + start(0) : 0, inputs.image};
    }

    CK_TILE_FN int line(int) const { return 0; } // all that a tile has
    CK_TILE_FN tensor_map::tap_coord operator()(int, int l, int) const
    {
        const int tap = l / all->by_k, row = tap / along[1].by_taps, col = tap - row * along[1].taps;
        tensor_map::coord at = first;
        at[0] += l - tap * all->k;
        return {at, {reach(1) - col * along[1].output_step, S > 1 ? reach(0) - row * along[0].output_step : 0}};
    }

  private:
    CK_TILE_FN int reach(int d) const { return (along[d].taps - 1) * along[d].output_step; }
    CK_TILE_FN int start(int d) const { return along[d].first_output - reach(d); }
};

} // namespace ck_tile::conv
