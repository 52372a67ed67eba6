// SPDX-License-Identifier: MIT
// Which boxes of windows the copy engine has: where windows begin, and which problems have none.
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv/problem.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ck_tile::conv
{
namespace
{

constexpr int element = 0; // whose address is that of a tensor

problem usual()
{
    return {.spatial   = 2,
            .groups    = 2,
            .batch     = 3,
            .k         = 128,
            .c         = 64,
            .filter    = {3, 5},
            .input     = {20, 30},
            .stride    = {2, 1},
            .dilation  = {1, 2},
            .left_pad  = {1, 4},
            .right_pad = {0, 3}};
}

TEST(Boxes, OfInputWindows)
{
    const tensor_map m = boxes_of_input_windows(&element, make_arguments(usual()), 128);
    EXPECT_EQ(m.data, &element);
    EXPECT_TRUE(m.of_windows && m.permuted);
    const tensor_map::coord lengths = {128, 30, 20, 3};
    for(int d = 0; d < 4; ++d)
        EXPECT_EQ(m.lengths[d], lengths[d]);
    EXPECT_EQ(m.next[1], 2 * 128);
    EXPECT_EQ(m.next[2], 2 * 128 * 30);
    EXPECT_EQ(m.box_bytes(), 128 * 128);
    // 29 columns from -4 to 24, 10 rows of every second pixel from -1 to 17.
    EXPECT_EQ(m.first[0], -4);
    EXPECT_EQ(m.last[0], 24 - 29);
    EXPECT_EQ(m.stride[0], 1);
    EXPECT_EQ(m.first[1], -1);
    EXPECT_EQ(m.last[1], 17 - 19);
    EXPECT_EQ(m.stride[1], 2);
}

// A class of stride 1: from the last tap on, whose windows begin at the first pixels.
TEST(Boxes, OfClassWindows)
{
    problem p         = usual();
    p.stride          = {1, 1};
    const arguments a = make_arguments(p);
    residues along[3];
    for(int d = 0; d < 3; ++d)
        along[d] = dimension{a.input[d], a.filter[d], a.stride[d], a.dilation[d], a.left_pad[d]};
    const tensor_map m = boxes_of_class_windows(&element, a, class_of<3>(along, 0), 64);
    EXPECT_EQ(m.data, &element);
    EXPECT_EQ(m.lengths[0], 256);
    // Input 0 meets output 1 through row 0, and -1 through row 2; output 4 through column 0, and -4 through column 4.
    EXPECT_EQ(m.first[1], -1);
    EXPECT_EQ(m.first[0], -4);
    EXPECT_EQ(m.first[1] + 20 - 1, m.lengths[2] - 1 + m.last[1]) << "as many windows as inputs";
    EXPECT_EQ(m.first[0] + 30 - 1, m.lengths[1] - 1 + m.last[0]);
}

// Why the usual problem has no boxes of X, once it is changed; empty, if it has.
std::string reason_after(auto&& change)
{
    problem p = usual();
    change(p);
    status rules;
    need_boxes_of_input(rules, p);
    return rules.reason();
}

TEST(Boxes, ThatTheEngineDoesNotHave)
{
    const std::string fix = ": choose an instance of pipeline wave_specialized";
    EXPECT_EQ(reason_after([](problem&) {}), "");
    EXPECT_EQ(reason_after([](problem& p) { p.c = 72; }), "boxes have 64 channels of one tap, but C is 72" + fix);
    EXPECT_EQ(reason_after([](problem& p) { p.k = 96; }), "boxes have 64 channels of one tap, but K is 96" + fix);
    EXPECT_EQ(reason_after([](problem& p) { p.layout = layout::gnhwc; }),
              "boxes are of images that have all 2 groups in each pixel" + fix + ", or layout nhwgc");
    EXPECT_EQ(reason_after([](problem& p) { p.layout = layout::gnhwc, p.groups = 1; }), "");
    EXPECT_EQ(reason_after([](problem& p) { p.batch = 0; }), "boxes are of images, but there are none" + fix);
    EXPECT_EQ(reason_after([](problem& p) { p.left_pad = {128, 128}; }), "");
    EXPECT_EQ(reason_after([](problem& p) { p.left_pad = {1, 129}; }),
              "the first window's begin, from the first pixel on, must be -128 to 127 pixels in boxes, but is -129" +
                  fix);
    EXPECT_EQ(reason_after([](problem& p) { p.right_pad = {160, 3}; }),
              "the last window's begin, from the last pixel on, must be -128 to 127 pixels in boxes, but is 158" + fix);
    EXPECT_EQ(reason_after([](problem& p) { p.stride = {8, 8}; }), "");
    EXPECT_EQ(reason_after([](problem& p) { p.stride = {2, 9}; }),
              "the stride must be 1 to 8 pixels in boxes, but is 9" + fix);
    const auto with_far_tap = [](int dilation, int right_pad) {
        return reason_after([&](problem& p) {
            p.filter[1] = 2, p.dilation[1] = dilation, p.input[1] = 300, p.right_pad[1] = right_pad;
        });
    };
    EXPECT_EQ(with_far_tap(131, 3), "");
    EXPECT_EQ(with_far_tap(132, 3),
              "the last window's begin, from the last pixel on, must be -128 to 127 pixels in boxes, but is -129" +
                  fix);
    EXPECT_EQ(with_far_tap(255, 128), "");
    EXPECT_EQ(with_far_tap(256, 128),
              "the last tap's distance from the first one must be 0 to 255 pixels in boxes, but is 256" + fix);
}

} // namespace
} // namespace ck_tile::conv
