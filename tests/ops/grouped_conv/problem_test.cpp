// SPDX-License-Identifier: MIT
// Shapes of every layout against the table in problem.hpp, and the text of every rejection.
#include "ops/grouped_conv/problem.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace ck_tile::conv
{

namespace
{

using lengths = std::vector<std::int64_t>;

problem small_2d(layout order)
{
    return {.spatial   = 2,
            .groups    = 2,
            .batch     = 3,
            .k         = 4,
            .c         = 5,
            .filter    = {3, 2},
            .input     = {10, 7},
            .stride    = {2, 1},
            .dilation  = {2, 3},
            .left_pad  = {1, 0},
            .right_pad = {2, 1},
            .type      = data_type::fp16,
            .layout    = order};
}

TEST(grouped_conv_problem, output_lengths_follow_the_definition)
{
    const problem p = small_2d(layout::nhwgc);
    EXPECT_EQ(p.window(0), 5);
    EXPECT_EQ(p.output(0), 5); // (10 + 1 + 2 - 5) / 2 + 1
    EXPECT_EQ(p.window(1), 4);
    EXPECT_EQ(p.output(1), 5); // (7 + 0 + 1 - 4) / 1 + 1
    EXPECT_EQ(p.input_pixels(), 70);
    EXPECT_EQ(p.output_pixels(), 25);
    EXPECT_EQ(p.filter_taps(), 6);
    EXPECT_EQ(p.flops(), 2.0 * 3 * 25 * 2 * 4 * 5 * 6);
    EXPECT_EQ(p.floor_bytes(), 2.0 * (3 * 70 * 2 * 5 + 3 * 25 * 2 * 4 + 2 * 4 * 6 * 5));
}

TEST(grouped_conv_problem, shapes_are_packed_in_the_order_of_the_layout)
{
    problem p = small_2d(layout::nhwgc);
    EXPECT_EQ(input_shape(p).lengths, (lengths{3, 10, 7, 2, 5}));
    EXPECT_EQ(input_shape(p).strides, (lengths{700, 70, 10, 5, 1}));
    EXPECT_EQ(output_shape(p).lengths, (lengths{3, 5, 5, 2, 4}));
    EXPECT_EQ(weight_shape(p).lengths, (lengths{2, 4, 3, 2, 5}));
    EXPECT_EQ(weight_shape(p).strides, (lengths{120, 30, 10, 5, 1}));

    p.layout = layout::gnhwc;
    EXPECT_EQ(input_shape(p).lengths, (lengths{2, 3, 10, 7, 5}));
    EXPECT_EQ(output_shape(p).lengths, (lengths{2, 3, 5, 5, 4}));
    EXPECT_EQ(weight_shape(p).lengths, (lengths{2, 4, 3, 2, 5}));

    p.layout = layout::ngchw;
    EXPECT_EQ(input_shape(p).lengths, (lengths{3, 2, 5, 10, 7}));
    EXPECT_EQ(output_shape(p).lengths, (lengths{3, 2, 4, 5, 5}));
    EXPECT_EQ(output_shape(p).strides, (lengths{200, 100, 25, 5, 1}));
    EXPECT_EQ(weight_shape(p).lengths, (lengths{2, 4, 5, 3, 2}));
    EXPECT_EQ(weight_shape(p).elements(), 240);
}

TEST(grouped_conv_problem, shapes_have_one_to_three_spatial_dimensions)
{
    problem p;
    EXPECT_EQ(input_shape(p).lengths, (lengths{1, 14, 14, 14, 4, 256}));
    EXPECT_EQ(weight_shape(p).lengths, (lengths{4, 128, 3, 3, 3, 256}));
    p.spatial = 1;
    EXPECT_EQ(input_shape(p).lengths, (lengths{1, 14, 4, 256}));
    EXPECT_EQ(output_shape(p).lengths, (lengths{1, 14, 4, 128}));
    EXPECT_EQ(weight_shape(p).lengths, (lengths{4, 128, 3, 256}));
}

TEST(grouped_conv_problem, describes_itself)
{
    EXPECT_EQ(describe(small_2d(layout::gnhwc)),
              "grouped_conv 2-D gnhwc fp16 G2 N3 K4 C5 filter 3x2 input 10x7 stride 2x1 dilation 2x3 left pad 1x0 "
              "right pad 2x1");
}

TEST(grouped_conv_problem, accepts_what_is_a_convolution)
{
    EXPECT_TRUE(validate({}));
    EXPECT_TRUE(validate(small_2d(layout::ngchw)));

    problem no_images;
    no_images.batch = 0;
    EXPECT_TRUE(validate(no_images));
    EXPECT_EQ(input_shape(no_images).elements(), 0);
    EXPECT_EQ(no_images.flops(), 0);

    problem filter_as_large_as_input{.input = {3, 3, 3}, .left_pad = {}, .right_pad = {}};
    EXPECT_TRUE(validate(filter_as_large_as_input));

    problem unused_dimensions = small_2d(layout::nhwgc); // hold zeros
    EXPECT_TRUE(validate(unused_dimensions));
}

struct rejected_case
{
    const char* name;
    std::function<void(problem&)> spoil;
    const char* reason;
};

class grouped_conv_problem_rejection : public testing::TestWithParam<rejected_case>
{};

TEST_P(grouped_conv_problem_rejection, states_rule_value_and_fix)
{
    problem p;
    GetParam().spoil(p);
    const status verdict = validate(p);
    EXPECT_FALSE(verdict);
    EXPECT_EQ(verdict.reason(), GetParam().reason);
}

constexpr std::int64_t huge = 1'000'000'000'000'000'000;

INSTANTIATE_TEST_SUITE_P(
    every_rule, grouped_conv_problem_rejection,
    testing::Values(
        rejected_case{"no_dimensions", [](problem& p) { p.spatial = 0; },
                      "ndim must be 1, 2 or 3, but is 0: choose the number of spatial dimensions"},
        rejected_case{"four_dimensions", [](problem& p) { p.spatial = 4; },
                      "ndim must be 1, 2 or 3, but is 4: choose the number of spatial dimensions"},
        rejected_case{"no_groups", [](problem& p) { p.groups = 0; }, "G must be positive, but is 0: choose 1 or more"},
        rejected_case{"negative_batch", [](problem& p) { p.batch = -1; },
                      "N must be zero or positive, but is -1: choose 0 or more"},
        rejected_case{"no_k", [](problem& p) { p.k = 0; }, "K must be positive, but is 0: choose 1 or more"},
        rejected_case{"negative_c", [](problem& p) { p.c = -5; }, "C must be positive, but is -5: choose 1 or more"},
        rejected_case{"huge_c", [](problem& p) { p.c = huge; },
                      "C must fit 32 bits, but is 1000000000000000000: choose 2147483647 or less"},
        rejected_case{"smallest_number", [](problem& p) { p.groups = std::numeric_limits<std::int64_t>::min(); },
                      "G must be positive, but is -9223372036854775808: choose 1 or more"},
        rejected_case{"no_filter", [](problem& p) { p.filter[0] = 0; },
                      "filter in dimension D must be positive, but is 0: choose 1 or more"},
        rejected_case{"no_input", [](problem& p) { p.input[1] = 0; },
                      "input in dimension H must be positive, but is 0: choose 1 or more"},
        rejected_case{"no_stride", [](problem& p) { p.stride[2] = 0; },
                      "stride in dimension W must be positive, but is 0: choose 1 or more"},
        rejected_case{"dimension_of_1d",
                      [](problem& p) {
                          p.spatial     = 1;
                          p.dilation[0] = -2;
                      },
                      "dilation in dimension W must be positive, but is -2: choose 1 or more"},
        rejected_case{"dimension_of_2d",
                      [](problem& p) {
                          p.spatial     = 2;
                          p.left_pad[0] = -1;
                      },
                      "left pad in dimension H must be zero or positive, but is -1: choose 0 or more"},
        rejected_case{"negative_right_pad", [](problem& p) { p.right_pad[2] = -3; },
                      "right pad in dimension W must be zero or positive, but is -3: choose 0 or more"},
        rejected_case{
            "huge_dilation", [](problem& p) { p.dilation[0] = huge; },
            "dilation in dimension D must fit 32 bits, but is 1000000000000000000: choose 2147483647 or less"},
        rejected_case{"filter_too_large", [](problem& p) { p.dilation[1] = 8; },
                      "the filter must not be larger than the padded input, but in dimension H it spans 17 elements "
                      "(filter 3, dilation 8) of 16 (input 14, pads 1 and 1): choose a smaller filter or dilation, or "
                      "pad more"},
        rejected_case{
            "huge_input", [](problem& p) { p.input = {2'000'000'000, 2'000'000'000, 2'000'000'000}; },
            "the padded input must have less than 2^63 bytes, but has 1 * 4 * 256 * 2000000002 * 2000000002 * "
            "2000000002 elements of 2 bytes: choose smaller lengths"},
        rejected_case{
            "huge_padding_around_little",
            [](problem& p) {
                p.dilation  = {1'000'000'000, 1'000'000'000, 1'000'000'000};
                p.left_pad  = p.dilation;
                p.right_pad = p.dilation;
            },
            "the padded input must have less than 2^63 bytes, but has 1 * 4 * 256 * 2000000014 * 2000000014 * "
            "2000000014 elements of 2 bytes: choose smaller lengths"},
        rejected_case{"huge_output",
                      [](problem& p) {
                          p.k     = 2'000'000'000;
                          p.batch = 2'000'000'000;
                      },
                      "the output must have less than 2^63 bytes, but has 2000000000 * 4 * 2000000000 * 14 * 14 * 14 "
                      "elements of 2 bytes: choose smaller lengths"},
        rejected_case{
            "huge_weights",
            [](problem& p) {
                p.k      = 2'000'000'000;
                p.c      = 2'000'000'000;
                p.batch  = 0;
                p.groups = 2;
            },
            "the weight tensor must have less than 2^63 bytes, but has 2 * 2000000000 * 2000000000 * 3 * 3 * 3 "
            "elements of 2 bytes: choose smaller lengths"}),
    [](const auto& each) { return std::string(each.param.name); });

} // namespace

} // namespace ck_tile::conv
