// SPDX-License-Identifier: MIT
// Random convolutions, and where the elements of their windows lie by the definition, element by element.
#pragma once

#include "ops/grouped_conv/views.hpp"
#include "tests/support/random.hpp"

#include <optional>

namespace ck_tile
{

// Images [images, input..., channels] in memory with any strides; S spatial dimensions.
template <int S>
struct im2col
{
    int images   = 1;
    int channels = 1;
    multi_index<S> input, filter, stride, dilation, left, right;
    multi_index<S + 2> strides; // elements

    multi_index<S> output() const
    {
        multi_index<S> o;
        for(int d = 0; d < S; ++d)
            o[d] = (input[d] + left[d] + right[d] - (filter[d] - 1) * dilation[d] - 1) / stride[d] + 1;
        return o;
    }
    int rows() const { return product(filter) * channels; }
    int pixels() const { return images * product(output()); }

    multi_index<S + 2> memory_lengths() const
    {
        multi_index<S + 2> l;
        l[0] = images;
        for(int d = 0; d < S; ++d)
            l[1 + d] = input[d];
        l[S + 1] = channels;
        return l;
    }
    int elements() const
    {
        int last = 0;
        for(int d = 0; d < S + 2; ++d)
            last += (memory_lengths()[d] - 1) * strides[d];
        return last + 1;
    }

    // What convolutions see it through.
    conv::windows<S> windows() const
    {
        dividers<S> positions, taps;
        for(int d = 0; d < S; ++d)
            positions[d] = output()[d], taps[d] = filter[d];
        return {images, channels, input, left, right, positions, taps, stride, dilation, strides};
    }

    // [taps x channels, images x outputs]; the pixels end at `end`.
    auto matrix(int end) const { return windows().taps_by_positions(end); }

    // Where element (row, pixel) lies by the definition of a convolution; nothing if in the padding.
    std::optional<int> place_of(int row, int pixel) const
    {
        const multi_index<S> out = output();
        int offset               = row % channels * strides[S + 1];
        row /= channels;
        for(int d = S - 1; d >= 0; --d)
        {
            const int at = pixel % out[d] * stride[d] + row % filter[d] * dilation[d] - left[d];
            if(at < 0 || at >= input[d])
                return std::nullopt;
            offset += at * strides[1 + d];
            pixel /= out[d];
            row /= filter[d];
        }
        return offset + pixel * strides[0];
    }
};

// Uneven padding, strides 1 to 4, dilations 1 to 3, even filters, images of one pixel, gaps between rows and channels.
template <int S>
im2col<S> random_im2col(random_numbers& random)
{
    im2col<S> c;
    c.images   = random.between(1, 3);
    c.channels = random.between(1, 4);
    for(int d = 0; d < S; ++d)
    {
        c.filter[d]   = random.between(1, 4);
        c.stride[d]   = random.between(1, 4);
        c.dilation[d] = random.between(1, 3);
        c.left[d]     = random.between(0, 4);
        c.right[d]    = random.between(0, 4);
        c.input[d]    = random.between(0, 3) == 0 ? 1 : random.between(1, 12 / S);
        while(c.input[d] + c.left[d] + c.right[d] < (c.filter[d] - 1) * c.dilation[d] + 1)
            ++(random.between(0, 1) ? c.right[d] : c.left[d]);
    }
    int stride = 1;
    for(int d = S + 1; d >= 0; --d)
    {
        c.strides[d] = stride;
        stride       = stride * c.memory_lengths()[d] + random.between(0, 2);
    }
    return c;
}

} // namespace ck_tile
