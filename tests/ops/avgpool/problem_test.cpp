// SPDX-License-Identifier: MIT
// What average poolings divide by, and what of their problems other poolings do not have.
#include "ops/avgpool/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ck_tile::avgpool
{
namespace
{

TEST(AvgpoolProblem, WindowsDivideByOneNumberWhereAllCountAsMany)
{
    problem p = {{.window = {3, 2}, .input = {8, 9}}};
    EXPECT_EQ(divisor_of_all(p), 6);
    p.left_pad = p.right_pad = {1, 0};
    EXPECT_EQ(divisor_of_all(p), 6);
    p.count_include_pad = false; // the first and the last row of windows count less
    EXPECT_EQ(divisor_of_all(p), 0);
    p.divisor_override = 2.5f;
    EXPECT_EQ(divisor_of_all(p), 2.5f);
}

TEST(AvgpoolProblem, ALastWindowBeyondThePaddingCountsLess)
{
    problem p = {{.window = {2, 2}, .input = {5, 4}, .stride = {2, 2}, .ceil_mode = true}};
    EXPECT_EQ(divisor_of_all(p), 0); // rows {4, 5}, of which 5 is not even padding
    p.right_pad = {1, 0};
    EXPECT_EQ(divisor_of_all(p), 4);
    p.count_include_pad = false;
    EXPECT_EQ(divisor_of_all(p), 0);
}

TEST(AvgpoolProblem, OneWindowIsAllOfThem)
{
    problem p = {{.window = {9, 7}, .input = {5, 7}, .left_pad = {2, 0}, .right_pad = {2, 0}}};
    EXPECT_EQ(divisor_of_all(p), 63);
    p.count_include_pad = false;
    EXPECT_EQ(divisor_of_all(p), 35);
}

TEST(AvgpoolProblem, Describe)
{
    problem p = {{.batch = 2, .channels = 5}};
    EXPECT_EQ(describe(p), "avgpool nhwc fp16 N2 C5 window 3x3 input 32x32 stride 1x1 left pad 0x0 right pad 0x0");
    p.count_include_pad = false, p.divisor_override = 4, p.ceil_mode = true;
    EXPECT_EQ(describe(p), "avgpool nhwc fp16 N2 C5 window 3x3 input 32x32 stride 1x1 left pad 0x0 right pad 0x0 ceil "
                           "without padding divisor 4");
}

TEST(AvgpoolProblem, RejectionsSayRuleValueAndFix)
{
    const auto reason = [](auto&& spoil) {
        problem p;
        EXPECT_TRUE(validate(p));
        spoil(p);
        return validate(p).reason();
    };
    EXPECT_EQ(reason([](problem& p) { p.dilation[1] = 2; }),
              "an average pooling has no dilation, but in dimension W it is 2: choose 1");
    EXPECT_EQ(reason([](problem& p) { p.divisor_override = -3; }),
              "divisor_override must be zero, for none, or a positive number, but is -3: choose 0 or more");
    EXPECT_EQ(reason([](problem& p) { p.divisor_override = std::numeric_limits<float>::infinity(); }),
              "divisor_override must be zero, for none, or a positive number, but is inf: choose 0 or more");
    EXPECT_TRUE(reason([](problem& p) { p.divisor_override = NAN; }).ends_with("but is nan: choose 0 or more"));
    // Those of windows, and of sizes.
    EXPECT_TRUE(reason([](problem& p) { p.left_pad[0] = 3; }).starts_with("every window must hold an element"));
    EXPECT_TRUE(reason([](problem& p) { p.input = {65536, 65536}; }).starts_with("the pixels of an image must be"));
}

} // namespace
} // namespace ck_tile::avgpool
