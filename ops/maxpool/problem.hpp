// SPDX-License-Identifier: MIT
// A 2-D max-pooling as its users state it: sizes, window, layout, types. Shared by the forward and the backward pass.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "ops/maxpool/kinds.hpp"
#include "ops/tensor_info.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace ck_tile::maxpool
{

// Height and width.
using extents = std::array<std::int64_t, 2>;

struct problem
{
    std::int64_t batch    = 1; // N; 0 is legal
    std::int64_t channels = 1;
    extents window        = {3, 3};
    extents input         = {32, 32};
    extents stride        = {1, 1};
    extents dilation      = {1, 1};
    extents left_pad      = {0, 0};
    extents right_pad     = {0, 0};
    bool ceil_mode = false; // a last window that the right padding does not hold counts, if it begins before that
    data_type type = data_type::fp16;
    maxpool::layout layout   = maxpool::layout::nhwc;
    maxpool::indices indices = maxpool::indices::u8;

    // Input elements that a window spans in dimension d: (window - 1) * dilation + 1.
    std::int64_t span(int d) const { return (window[d] - 1) * dilation[d] + 1; }

    // Output length in dimension d: (input + left + right - span) / stride + 1, rounded down, or up in ceil mode; but the
    // last window must begin in the input or the left padding. As PyTorch.
    std::int64_t output(int d) const;

    std::int64_t input_pixels() const { return input[0] * input[1]; }
    std::int64_t output_pixels() const { return output(0) * output(1); }
    std::int64_t window_elements() const { return window[0] * window[1]; }

    // Bytes of the backward pass: the gradient of the output and the indices (or the input) read once, that of the input
    // written once.
    double backward_floor_bytes() const;
    // Of the forward pass: the input read, the output and the indices written once.
    double forward_floor_bytes() const;
};

tensor_shape input_shape(const problem& p);  // N, Hi, Wi, C or N, C, Hi, Wi
tensor_shape output_shape(const problem& p); // N, Ho, Wo, C or N, C, Ho, Wo

// The fields by name: see ops/problem_fields.hpp.
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    v.number("N", p.batch);
    v.number("C", p.channels);
    v.list("input", p.input, 2, {"Hi", "Wi"});
    v.list("window", p.window, 2, {"Y", "X"});
    v.list("strides", p.stride, 2, {"Sy", "Sx"});
    v.list("dilations", p.dilation, 2, {"Dy", "Dx"});
    v.list("left_pads", p.left_pad, 2, {"LPy", "LPx"});
    v.list("right_pads", p.right_pad, 2, {"RPy", "RPx"});
    v.flag("ceil", p.ceil_mode);
    v.choice("indices", p.indices);
    v.choice("dtype", p.type);
    v.choice("layout", p.layout);
}

// Whether the numbers describe a max-pooling at all: lengths positive (batch may be 0) and, the padded input too, within 32
// bits, a window no larger than the padded input, an element of the input in every window, and no tensor of 2^63 bytes or more; u8 indices count the
// window's elements. Only then may the other functions be called.
status validate(const problem& p);

// "maxpool nhwc fp16 u8 N256 C64 window 3x3 input 112x112 stride 2x2 ..." for messages and tables.
std::string describe(const problem& p);

} // namespace ck_tile::maxpool
