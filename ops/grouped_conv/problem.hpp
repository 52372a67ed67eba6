// SPDX-License-Identifier: MIT
// A grouped convolution as its users state it: sizes, window, layout, type. Shared by all convolution operations.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "ops/tensor_info.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ck_tile::conv
{

// Memory order of the tensors, slowest dimension first. "HW" stands for all spatial dimensions (W, HW or DHW).
//           in            out           weights
//   nhwgc   N HW G C      N HW G K      G K YX C
//   gnhwc   G N HW C      G N HW K      G K YX C
//   ngchw   N G C HW      N G K HW      G K C YX
enum class layout
{
    nhwgc,
    gnhwc,
    ngchw
};

} // namespace ck_tile::conv

template <>
struct ck_tile::enumerators<ck_tile::conv::layout>
{
    using enum conv::layout;
    static constexpr const char* type               = "conv::layout";
    static constexpr enumerator<conv::layout> all[] = {{nhwgc, "nhwgc"}, {gnhwc, "gnhwc"}, {ngchw, "ngchw"}};
};

namespace ck_tile::conv
{

constexpr int max_spatial = 3;

// One number per spatial dimension, outermost first (D, H, W); entries from `spatial` on are not used.
using extents = std::array<std::int64_t, max_spatial>;

struct problem
{
    int spatial         = 3; // spatial dimensions: 1, 2 or 3
    std::int64_t groups = 4;
    std::int64_t batch  = 1;   // N; 0 is legal and gives a zero gradient
    std::int64_t k      = 128; // output channels per group
    std::int64_t c      = 256; // input channels per group
    extents filter      = {3, 3, 3};
    extents input       = {14, 14, 14};
    extents stride      = {1, 1, 1};
    extents dilation    = {1, 1, 1};
    extents left_pad    = {1, 1, 1};
    extents right_pad   = {1, 1, 1};
    data_type type      = data_type::fp16;
    conv::layout layout = conv::layout::nhwgc;

    // Input elements that one window spans in dimension d: (filter - 1) * dilation + 1.
    std::int64_t window(int d) const { return (filter[d] - 1) * dilation[d] + 1; }

    // Output length in dimension d: (input + left + right - window) / stride + 1.
    std::int64_t output(int d) const { return (input[d] + left_pad[d] + right_pad[d] - window(d)) / stride[d] + 1; }

    std::int64_t input_pixels() const;  // product of the input lengths
    std::int64_t output_pixels() const; // product of the output lengths
    std::int64_t filter_taps() const;   // product of the filter lengths

    // 2 * multiply-adds of the convolution, taps that fall into the padding included.
    double flops() const;

    // Bytes of the two tensors read once and the one written once: the floor of the traffic.
    double floor_bytes() const;
};

// The tensors of the problem, packed, their dimensions in the order of the layout's name.
using ck_tile::tensor_shape;
tensor_shape input_shape(const problem& p);  // e.g. N, Hi, Wi, G, C
tensor_shape output_shape(const problem& p); // e.g. N, Ho, Wo, G, K
tensor_shape weight_shape(const problem& p); // e.g. G, K, Y, X, C

// The fields by name: see ops/problem_fields.hpp.
// Its numbers, of which K may have another name, and its type and layout.
template <class Problem, class Visit>
void visit_numbers(Problem& p, Visit&& v, const char* k)
{
    v.rank("ndim", p.spatial, 1, max_spatial);
    v.number("G", p.groups);
    v.number("N", p.batch);
    v.number(k, p.k);
    v.number("C", p.c);
    v.list("filter", p.filter, p.spatial);
    v.list("input", p.input, p.spatial);
    v.list("strides", p.stride, p.spatial);
    v.list("dilations", p.dilation, p.spatial);
    v.list("left_pads", p.left_pad, p.spatial);
    v.list("right_pads", p.right_pad, p.spatial);
}
template <class Problem, class Visit>
void visit_kind(Problem& p, Visit&& v)
{
    v.choice("dtype", p.type);
    v.choice("layout", p.layout);
}
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    visit_numbers(p, v, "K");
    visit_kind(p, v);
}

// The same of what a problem of one direction adds to.
template <class Derived, class Visit>
void visit_base(Derived& p, Visit&& v)
{
    visit_fields(static_cast<std::conditional_t<std::is_const_v<Derived>, const problem, problem>&>(p), v);
}

// Whether the numbers describe a convolution at all: counts positive (batch may be 0), all within 32 bits, the filter
// no larger than the padded input, and no tensor (the input with its padding) of 2^63 bytes or more. Only then may the
// other functions be called.
status validate(const problem& p);

// A 1x1 convolution that is a product of large square matrices, in every direction.
problem matrix_product(data_type type);

// "grouped_conv 2-D nhwgc fp16 G1 N256 K64 C64 filter 3x3 input 56x56 stride 1x1 ..." for messages and tables.
std::string describe(const problem& p);

} // namespace ck_tile::conv
