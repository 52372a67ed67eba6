// SPDX-License-Identifier: MIT
// What problems are computed as: channels in whole vectors, channels-last, first layers unfolded; and what is copied for it.
#include "ops/grouped_conv/computed.hpp"

#include <gtest/gtest.h>

namespace ck_tile::conv
{
namespace
{

constexpr vector_widths eights = {.out = 8, .in = 8, .wei = 8}, ones = {.out = 1, .in = 1, .wei = 1};

// ResNet's.
problem first_layer()
{
    return {.spatial   = 2,
            .groups    = 1,
            .batch     = 4,
            .k         = 64,
            .c         = 3,
            .filter    = {7, 7},
            .input     = {224, 224},
            .stride    = {2, 2},
            .left_pad  = {3, 3},
            .right_pad = {3, 3}};
}

TEST(Computed, AFirstLayerIsUnfoldedAlongLines)
{
    const problem q = computed_through_windows(first_layer(), 2, eights);
    EXPECT_EQ(describe(q), "grouped_conv 2-D nhwgc fp16 G1 N4 K64 C24 filter 7x1 input 224x112 stride 2x1 "
                           "dilation 1x1 left pad 3x0 right pad 3x0");
    EXPECT_EQ(q.output_pixels(), first_layer().output_pixels());
    constexpr tensor all[] = {tensor::in, tensor::wei, tensor::out};
    EXPECT_EQ(copies_bytes(first_layer(), q, all), 4 * 224 * 112 * 24 * 2 + 64 * 7 * 24 * 2);
}

TEST(Computed, WhatIsNotUnfoldedHasChannelsInWholeVectors)
{
    const auto expect_padded = [](const problem& p, int spatial, const vector_widths& vector) {
        EXPECT_EQ(describe(computed_through_windows(p, spatial, vector)), describe(computed(p, spatial, vector)));
    };
    problem p = first_layer();
    expect_padded(p, 2, ones);
    expect_padded(p, 0, eights);
    EXPECT_EQ(computed(p, 2, eights).c, 8);
    p.groups = 2;
    expect_padded(p, 2, eights);
    p   = first_layer();
    p.c = 7; // 49 of 7 pixels would be 56, as they are
    expect_padded(p, 2, eights);
    p           = first_layer();
    p.filter[1] = 1;
    expect_padded(p, 2, eights);
    p = first_layer(); // long windows that overlap: the copy would be as large as Y, and ten times as large as X
    p.filter[1] = 20, p.stride[1] = 1, p.k = 8;
    expect_padded(p, 2, eights);
    p       = first_layer(); // a view spans but one image of the copy
    p.input = {10000, 10000};
    expect_padded(p, 2, eights);
}

TEST(Computed, PatchesSideBySideAreNotCopied)
{
    problem p = first_layer(); // a vision transformer's
    p.filter = p.stride = {16, 16};
    p.left_pad = p.right_pad = {};
    const problem q          = computed_through_windows(p, 2, eights);
    EXPECT_EQ(q.c, 48);
    constexpr tensor all[] = {tensor::in, tensor::wei, tensor::out};
    EXPECT_EQ(copies_bytes(p, q, all), 0);
    for(auto change : {+[](problem& c) { c.layout = layout::ngchw; }, +[](problem& c) { c.left_pad[1] = 16; },
                       +[](problem& c) { c.input[1] += 1; }})
    {
        problem other = p;
        change(other);
        constexpr tensor in[] = {tensor::in};
        EXPECT_GT(copies_bytes(other, computed_through_windows(other, 2, eights), in), 0);
    }
}

} // namespace
} // namespace ck_tile::conv
