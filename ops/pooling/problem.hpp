// SPDX-License-Identifier: MIT
// What problems of all 2-D poolings have: sizes, windows, layout, type.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "ops/pooling/layout.hpp"
#include "ops/tensor_info.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace ck_tile::pooling
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
    pooling::layout layout = pooling::layout::nhwc;

    // Input elements that a window spans in dimension d: (window - 1) * dilation + 1.
    std::int64_t span(int d) const { return (window[d] - 1) * dilation[d] + 1; }

    // Output length in dimension d: (input + left + right - span) / stride + 1, rounded down, or up in ceil mode; but the
    // last window must begin in the input or the left padding. As PyTorch.
    std::int64_t output(int d) const;

    std::int64_t input_pixels() const { return input[0] * input[1]; }
    std::int64_t output_pixels() const { return output(0) * output(1); }
    std::int64_t window_elements() const { return window[0] * window[1]; }

    // Bytes of the input and the output, or of their gradients.
    double tensor_bytes() const;
};

tensor_shape input_shape(const problem& p);  // N, Hi, Wi, C or N, C, Hi, Wi
tensor_shape output_shape(const problem& p); // N, Ho, Wo, C or N, C, Ho, Wo

// The sizes by name, which come first in the list of a problem's fields (ops/problem_fields.hpp). Dilations are not every pooling's.
template <class Problem, class Visit>
void visit_sizes(Problem& p, Visit&& v, bool dilated)
{
    v.number("N", p.batch);
    v.number("C", p.channels);
    v.list("input", p.input, 2, {"Hi", "Wi"});
    v.list("window", p.window, 2, {"Y", "X"});
    v.list("strides", p.stride, 2, {"Sy", "Sx"});
    if(dilated)
        v.list("dilations", p.dilation, 2, {"Dy", "Dx"});
    v.list("left_pads", p.left_pad, 2, {"LPy", "LPx"});
    v.list("right_pads", p.right_pad, 2, {"RPy", "RPx"});
    v.flag("ceil", p.ceil_mode);
}

// Whether the numbers describe windows at all: lengths positive (batch may be 0) and, the padded input too, within 32 bits, a
// window no larger than the padded input, an element of the input in every window.
status validate_windows(const problem& p);
// Whether such a problem's pixels are counted in 32 bits, and no tensor has 2^63 bytes or more; `index_bytes`: of an index that is stored
// for each element of the output, if one is.
status validate_sizes(const problem& p, int index_bytes = 0);

// "N256 C64 window 3x3 input 112x112 stride 2x2 ...", for messages and tables.
std::string describe_sizes(const problem& p, bool dilated);

} // namespace ck_tile::pooling
