// SPDX-License-Identifier: MIT
// Shapes, output lengths as PyTorch's, and the text of every rejection.
#include "ops/pooling/problem.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ck_tile::pooling
{
namespace
{

using lengths = std::vector<std::int64_t>;

status validate(const problem& p)
{
    const status possible = validate_windows(p);
    return possible ? validate_sizes(p) : possible;
}

TEST(PoolingProblem, ShapesFollowTheLayout)
{
    problem p = {.batch     = 3,
                 .channels  = 5,
                 .window    = {3, 2},
                 .input     = {10, 7},
                 .stride    = {2, 1},
                 .dilation  = {2, 3},
                 .left_pad  = {1, 0},
                 .right_pad = {2, 1}};
    EXPECT_EQ(p.span(0), 5);
    EXPECT_EQ(p.output(0), 5); // (10 + 1 + 2 - 5) / 2 + 1
    EXPECT_EQ(p.output(1), 5); // (7 + 0 + 1 - 4) / 1 + 1
    EXPECT_EQ(input_shape(p).lengths, (lengths{3, 10, 7, 5}));
    EXPECT_EQ(output_shape(p).lengths, (lengths{3, 5, 5, 5}));
    EXPECT_EQ(output_shape(p).strides, (lengths{125, 25, 5, 1}));
    EXPECT_EQ(p.tensor_bytes(), 3 * 5 * (70 * 2 + 25 * 2));
    p.layout = layout::nchw;
    EXPECT_EQ(input_shape(p).lengths, (lengths{3, 5, 10, 7}));
    EXPECT_EQ(input_shape(p).strides, (lengths{350, 70, 7, 1}));
    EXPECT_EQ(describe_sizes(p, true),
              "N3 C5 window 3x2 input 10x7 stride 2x1 dilation 2x3 left pad 1x0 right pad 2x1");
    p.ceil_mode = true;
    EXPECT_EQ(describe_sizes(p, false), "N3 C5 window 3x2 input 10x7 stride 2x1 left pad 1x0 right pad 2x1 ceil");
}

TEST(PoolingProblem, CeilModeCountsALastWindowThatBeginsInTheInput)
{
    problem p = {.window = {3, 2}, .input = {6, 5}, .stride = {2, 2}};
    EXPECT_EQ(p.output(0), 2);
    EXPECT_EQ(p.output(1), 2);
    p.ceil_mode = true;
    EXPECT_EQ(p.output(0), 3); // the window at 4 has two elements
    EXPECT_EQ(p.output(1), 3); // the window at 4 has one
    p.window = {2, 2}, p.input = {4, 5}, p.stride = {3, 3}, p.right_pad = {1, 0};
    EXPECT_EQ(p.output(0), 2);
    p.window = {1, 1}, p.input = {3, 3}, p.stride = {2, 4}, p.right_pad = {0, 0};
    EXPECT_EQ(p.output(0), 2);
    EXPECT_EQ(p.output(1), 1); // a second window would begin at 4, beyond the input
}

TEST(PoolingProblem, EveryWindowHasAnElement)
{
    // Over all small problems: validate() says what looking at each window says.
    problem p;
    int rejections = 0;
    for(int window = 1; window <= 3; ++window)
        for(int dilation = 1; dilation <= 4; ++dilation)
            for(int stride = 1; stride <= 3; ++stride)
                for(int input = 1; input <= 4; ++input)
                    for(int left = 0; left <= 6; ++left)
                        for(int right = 0; right <= 6; ++right)
                            for(bool ceil_mode : {false, true})
                            {
                                p.window = {window, 1}, p.dilation = {dilation, 1}, p.stride = {stride, 1};
                                p.input = {input, 1}, p.left_pad = {left, 0}, p.right_pad = {right, 0};
                                p.ceil_mode = ceil_mode;
                                if(p.span(0) > input + left + right)
                                    continue;
                                bool all = true;
                                for(int o = 0; o < p.output(0); ++o)
                                {
                                    bool any = false;
                                    for(int y = 0; y < window; ++y)
                                    {
                                        const int h = o * stride - left + y * dilation;
                                        any         = any || (h >= 0 && h < input);
                                    }
                                    all = all && any;
                                }
                                rejections += !all;
                                ASSERT_EQ(validate(p).ok(), all) << describe_sizes(p, true) << validate(p).reason();
                            }
    EXPECT_GT(rejections, 1000);
}

struct rejected_case
{
    const char* name;
    std::function<void(problem&)> spoil;
    const char* reason;
};

class PoolingProblemRejection : public testing::TestWithParam<rejected_case>
{};

TEST_P(PoolingProblemRejection, StatesRuleValueAndFix)
{
    problem p;
    ASSERT_TRUE(validate(p));
    GetParam().spoil(p);
    EXPECT_EQ(validate(p).reason(), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    EveryRule, PoolingProblemRejection,
    testing::Values(
        rejected_case{"negative_batch", [](problem& p) { p.batch = -1; },
                      "N must be zero or positive, but is -1: choose 0 or more"},
        rejected_case{"no_channels", [](problem& p) { p.channels = 0; },
                      "C must be positive, but is 0: choose 1 or more"},
        rejected_case{"huge_stride", [](problem& p) { p.stride[1] = std::int64_t(1) << 40; },
                      "stride in dimension W must fit 32 bits, but is 1099511627776: choose 2147483647 or less"},
        rejected_case{"no_window", [](problem& p) { p.window[0] = 0; },
                      "window in dimension H must be positive, but is 0: choose 1 or more"},
        rejected_case{"negative_pad", [](problem& p) { p.left_pad[1] = -2; },
                      "left pad in dimension W must be zero or positive, but is -2: choose 0 or more"},
        rejected_case{"huge_pads",
                      [](problem& p) {
                          p.input[0] = 1, p.window[0] = 3, p.dilation[0] = 2'000'000'000;
                          p.left_pad[0] = p.right_pad[0] = 2'000'000'000;
                      },
                      "input and pads in dimension H must fit 32 bits, but is 4000000001: choose 2147483647 or less"},
        rejected_case{
            "window_too_large", [](problem& p) { p.dilation[0] = 20; },
            "the window must not be larger than the padded input, but in dimension H it spans 41 elements (window "
            "3, dilation 20) of 32 (input 32, pads 0 and 0): choose a smaller window or dilation, or pad more"},
        rejected_case{
            "window_in_the_padding", [](problem& p) { p.left_pad[0] = 3; },
            "every window must hold an element of the input, but in dimension H window 0 (window 3, dilation 1, "
            "from -3 on) has none of the 32 there are: pad less"},
        rejected_case{
            "window_steps_over_the_input",
            [](problem& p) {
                p.input[1] = 1, p.dilation[1] = 2, p.window[1] = 2;
                p.left_pad[1] = p.right_pad[1] = 1;
            },
            "every window must hold an element of the input, but in dimension W window 0 (window 2, dilation 2, "
            "from -1 on) has none of the 1 there are: pad less"},
        rejected_case{"many_pixels", [](problem& p) { p.input = {65536, 65536}; },
                      "the pixels of an image must be counted in 32 bits, but are 4294967296: choose a smaller input"},
        rejected_case{
            "huge",
            [](problem& p) {
                p.batch = p.channels = 2'000'000'000;
                p.input              = {40'000, 50'000};
            },
            "the input must have less than 2^63 bytes, but has 2000000000 * 2000000000 * 40000 * 50000 elements of 2 "
            "bytes: choose smaller lengths"}),
    [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace ck_tile::pooling
