// SPDX-License-Identifier: MIT
// The references against examples worked by hand: padding that counts and that does not, ceil mode, divisors, layouts.
#include "ops/avgpool/reference.hpp"

#include <gtest/gtest.h>

namespace ck_tile::avgpool
{
namespace
{

using numbers = std::vector<double>;

// One row of windows of 3 with stride 2 and a pad of 1 on each side: over elements {., 0, 1}, {1, 2, 3}, {3, 4, .}.
problem row_of_five()
{
    return {{.window = {1, 3}, .input = {1, 5}, .stride = {1, 2}, .left_pad = {0, 1}, .right_pad = {0, 1}}};
}

TEST(AvgpoolReference, PaddingCountsOrDoesNot)
{
    problem p = row_of_five();
    EXPECT_EQ(reference_forward(p, {3, 6, -9, 12, 15}).values, (numbers{3, 3, 9}));
    EXPECT_EQ(reference_forward(p, {3, 6, -9, 12, 15}).magnitudes, (numbers{3, 9, 9}));
    p.count_include_pad = false;
    EXPECT_EQ(reference_forward(p, {3, 6, -9, 12, 15}).values, (numbers{4.5, 3, 13.5}));
    p.divisor_override = 2;
    EXPECT_EQ(reference_forward(p, {3, 6, -9, 12, 15}).values, (numbers{4.5, 4.5, 13.5}));
}

// Windows {0, 1}, {2, 3}, {4, 5}, of which 5 is padding, or beyond it.
TEST(AvgpoolReference, WhatIsBeyondThePaddingDoesNotCount)
{
    problem p = {{.window = {1, 2}, .input = {1, 5}, .stride = {1, 2}, .ceil_mode = true}};
    EXPECT_EQ(reference_forward(p, {1, 2, 3, 4, 5}).values, (numbers{1.5, 3.5, 5}));
    p.right_pad = {0, 1};
    EXPECT_EQ(reference_forward(p, {1, 2, 3, 4, 5}).values, (numbers{1.5, 3.5, 2.5}));
    EXPECT_EQ(reference_backward(p, {2, 4, 6}).values, (numbers{1, 1, 2, 2, 3}));
}

TEST(AvgpoolReference, GradientsAddUpWhereWindowsMeet)
{
    problem p       = row_of_five();
    const auto sums = reference_backward(p, {3, -6, 12});
    EXPECT_EQ(sums.values, (numbers{1, -1, -2, 2, 4}));
    EXPECT_EQ(sums.magnitudes, (numbers{1, 3, 2, 6, 4}));
    p.count_include_pad = false;
    EXPECT_EQ(reference_backward(p, {3, -6, 12}).values, (numbers{1.5, -0.5, -2, 4, 6}));
}

TEST(AvgpoolReference, LayoutsHoldTheSame)
{
    problem p = {{.batch = 2, .channels = 2, .window = {2, 2}, .input = {2, 3}}};
    std::vector<float> nchw, nhwc(24);
    for(int i = 0; i < 24; ++i)
        nchw.push_back(static_cast<float>(i * 7 % 24));
    for(int n = 0; n < 2; ++n)
        for(int c = 0; c < 2; ++c)
            for(int pixel = 0; pixel < 6; ++pixel)
                nhwc[std::size_t((n * 6 + pixel) * 2 + c)] = nchw[std::size_t((n * 2 + c) * 6 + pixel)];
    const auto last  = reference_forward(p, nhwc);
    p.layout         = layout::nchw;
    const auto first = reference_forward(p, nchw);
    EXPECT_EQ(first.values[0], (0 + 7 + 21 + 4) / 4.);
    for(int n = 0; n < 2; ++n)
        for(int c = 0; c < 2; ++c)
            for(int pixel = 0; pixel < 2; ++pixel)
                EXPECT_EQ(last.values[std::size_t((n * 2 + pixel) * 2 + c)],
                          first.values[std::size_t((n * 2 + c) * 2 + pixel)]);
}

} // namespace
} // namespace ck_tile::avgpool
