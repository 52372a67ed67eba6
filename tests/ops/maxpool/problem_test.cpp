// SPDX-License-Identifier: MIT
// What max-pooling's problems have beside windows: indices.
#include "ops/maxpool/problem.hpp"

#include <gtest/gtest.h>

namespace ck_tile::maxpool
{
namespace
{

TEST(MaxpoolProblem, FloorsCountIndices)
{
    problem p = {{.batch = 3, .channels = 5, .window = {3, 2}, .input = {10, 7}, .stride = {2, 1}, .dilation = {2, 3}}};
    p.left_pad = {1, 0}, p.right_pad = {2, 1};
    EXPECT_EQ(p.backward_floor_bytes(), 3 * 5 * (70 * 2 + 25 * 2 + 25));
    EXPECT_EQ(p.forward_floor_bytes(), 3 * 5 * (70 * 2 + 25 * 2 + 25));
    p.indices = indices::int64;
    EXPECT_EQ(p.backward_floor_bytes(), 3 * 5 * (70 * 2 + 25 * 2 + 25 * 8));
    p.indices = indices::recompute;
    EXPECT_EQ(p.backward_floor_bytes(), 3 * 5 * (70 * 2 + 25 * 2 + 70 * 2));
    p.layout = layout::nchw;
    EXPECT_EQ(describe(p),
              "maxpool nchw fp16 recompute N3 C5 window 3x2 input 10x7 stride 2x1 dilation 2x3 left pad 1x0 "
              "right pad 2x1");
}

TEST(MaxpoolProblem, RejectionsSayRuleValueAndFix)
{
    problem p;
    p.window = {17, 16};
    EXPECT_EQ(validate(p).reason(), "u8 indices need windows of at most 256 elements, but the window has 272: choose "
                                    "int32 or int64 indices");
    p.indices = indices::int32;
    EXPECT_TRUE(validate(p));
    p.left_pad = {17, 0}; // rules of windows, and of sizes, with the bytes of indices
    EXPECT_TRUE(validate(p).reason().starts_with("every window must hold")) << validate(p).reason();
    p      = {{.batch = 2'000'000'000, .channels = 2'000'000'000, .window = {1, 1}, .input = {1, 1}}};
    p.type = data_type::fp16;
    EXPECT_TRUE(validate(p));
    p.indices = indices::int64;
    EXPECT_EQ(validate(p).reason(), "the input must have less than 2^63 bytes, but has 2000000000 * 2000000000 * 1 * 1 "
                                    "elements of 8 bytes: choose smaller lengths");
}

} // namespace
} // namespace ck_tile::maxpool
