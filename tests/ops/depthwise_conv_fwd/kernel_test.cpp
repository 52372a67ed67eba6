// SPDX-License-Identifier: MIT
// A depthwise convolution, forward, held against fp64.
#include "ops/depthwise_conv_fwd/operation.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>
#include <limits>

namespace ck_tile::depthwise_conv_fwd
{
namespace
{

using problem = operation::problem;

class Kernel : public kernel_test
{
  protected:
    problem with(std::int64_t channels, conv::extents input, conv::extents filter = {3, 3},
                 std::int64_t stride = 1) const
    {
        problem p;
        p.type = type, p.groups = channels, p.batch = 3, p.input = input, p.filter = filter,
        p.stride = {stride, stride, stride};
        return p;
    }
    // If an instance for it was built.
    void expect_right(const problem& p)
    {
        if(make_plan<operation>(dev, p))
            ck_tile::expect_all_instances_right(dev, experiment<operation>(p));
    }
};

// Regions of a part of an image, and of several images; channels that end in the middle of a slice, and of a vector.
TEST_P(Kernel, RegionsAndSlicesThatDoNotComeOutEven)
{
    for(const std::int64_t channels : {1, 8, 21, 40, 72, 136})
        expect_right(with(channels, {9, 10}));
    for(const auto& [height, width] : {std::pair(1, 1), {3, 40}, {40, 3}, {7, 7}, {17, 19}, {14, 14}})
        for(const std::int64_t stride : {1, 2})
            for(const std::int64_t filter : {3, 5, 7})
            {
                problem p   = with(24, {height, width}, {filter, filter}, stride);
                p.left_pad  = {filter / 2, filter / 2};
                p.right_pad = p.left_pad;
                p.batch     = 5;
                expect_right(p);
            }
}

// Uneven padding, wider than the filter, or none; and 1-D, causal.
TEST_P(Kernel, Padding)
{
    for(const std::int64_t stride : {1, 2})
        for(const auto& [left, right] : {std::pair(0, 0), {0, 3}, {4, 1}, {7, 0}})
        {
            problem p  = with(16, {11, 8}, {3, 3}, stride);
            p.left_pad = {left, right}, p.right_pad = {right, left};
            expect_right(p);
        }
    problem causal = with(40, {75}, {4});
    causal.spatial = 1, causal.left_pad = {3}, causal.right_pad = {0};
    expect_right(causal);
}

TEST_P(Kernel, ChannelsFirst)
{
    for(const std::int64_t channels : {5, 24})
    {
        problem p = with(channels, {9, 7});
        p.layout  = conv::layout::ngchw;
        expect_right(p);
    }
}

TEST_P(Kernel, EmptyBatch)
{
    problem p = with(8, {6, 6});
    p.batch   = 0;
    expect_right(p);
}

// A NaN stays in its channel and in the windows that contain it, and so does an infinity.
TEST_P(Kernel, WhatIsNotFinite)
{
    const experiment<operation> e(with(24, {9, 10}), 1, [](harness::tensor_set& set) {
        std::vector<float> values = set["in"].values();
        values[24 * 12 + 3]       = NAN; // pixel (1, 2)
        values[24 * 57 + 9]       = std::numeric_limits<float>::infinity();
        set["in"].set_values(values);
    });
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 9);
    ck_tile::expect_all_instances_right(dev, e);
}

TEST_P(Kernel, SameBits) { ck_tile::expect_same_bits(dev, experiment<operation>(with(72, {17, 19}))); }

TEST_P(Kernel, ReferenceKernel)
{
    for(const conv::layout layout : {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw})
    {
        problem p = with(5, {6, 7}, {3, 2}, 2);
        p.layout  = layout;
        const experiment<operation> e(p);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

TEST(Rejections, SayWhy)
{
    const config c = {.arch     = architecture::sm90,
                      .type     = data_type::fp16,
                      .channels = 32,
                      .waves    = 4,
                      .window   = {3, 3, 1},
                      .patch    = {2, 7},
                      .halo     = 192,
                      .stages   = 2};
    ASSERT_FALSE(check(c));
    problem good;
    good.spatial = 2;
    good.stride  = {1, 1, 1};
    ASSERT_TRUE(supports(instance<operation>{c, nullptr}, good));
    const auto reason = [&](auto&& change) {
        problem p = good;
        change(p);
        return reason_of<operation>(c, p);
    };
    EXPECT_EQ(reason([](problem& p) { p.spatial = 3, p.filter[2] = 1; }),
              "the instance has 2 spatial dimensions, the problem 3: choose an implicit GEMM");
    EXPECT_EQ(reason([](problem& p) { p.k = 2; }),
              "the instance is depthwise, and the problem has C = 1 and K = 2 per group: choose an implicit GEMM");
    EXPECT_EQ(reason([](problem& p) { p.layout = conv::layout::gnhwc; }),
              "the channels of a pixel must lie side by side, or be planes of an image, and the layout is gnhwc: "
              "choose nhwgc or ngchw");
    const std::string compiled =
        "the instance is compiled for filter 3x3, stride 1 and dilation 1: choose one compiled for the problem's, or "
        "an implicit GEMM";
    EXPECT_EQ(reason([](problem& p) { p.filter = {3, 5, 1}; }), compiled);
    EXPECT_EQ(reason([](problem& p) { p.dilation = {1, 2, 1}; }), compiled);
    EXPECT_EQ(reason([](problem& p) { p.stride = {3, 3, 1}; }), compiled);
    config small = c;
    small.halo   = 16;
    EXPECT_EQ(reason_of<operation>(small, good),
              "the windows of a patch must see 16 pixels at most, but see 36: choose an instance of a larger halo");
}

TEST(Configuration, WhatIsIllegal)
{
    constexpr config good = {.arch     = architecture::gfx942,
                             .type     = data_type::fp16,
                             .channels = 32,
                             .waves    = 4,
                             .window   = {3, 3, 1},
                             .patch    = {2, 7},
                             .halo     = 320,
                             .stages   = 1};
    static_assert(!check(good));
    const auto broken = [&](auto&& change) {
        config c = good;
        change(c);
        const violation v = check(c);
        return v ? reflect::describe(v) : std::string();
    };
    EXPECT_EQ(broken([](config& c) { c.type = data_type::int32; }),
              "images must be of a floating-point type, but one is int32: choose fp16, bf16 or fp32");
    EXPECT_EQ(broken([](config& c) { c.window.cols = 0; }),
              "the compiler must know filter and stride, or none of them, but one is 1: use 0 for all, or for none");
    EXPECT_EQ(broken([](config& c) { c.window.cols = 22; }),
              "a window that the compiler knows must have 64 taps at most, but one is 66: use a smaller one");
    EXPECT_EQ(
        broken([](config& c) { c.patch.cols = 0; }),
        "channels, waves, patches, halo and stages must be positive, and 4096 at most, but one is 0: choose 1 or more");
    EXPECT_EQ(broken([](config& c) { c.patch = {6, 6}; }),
              "a patch must have 32 pixels at most, but one is 36: use a smaller one");
    EXPECT_EQ(broken([](config& c) { c.waves = 3; }),
              "waves must be a power of two within the threads of a block, but one is 3: use fewer");
    EXPECT_EQ(
        broken([](config& c) { c.channels = 256; }),
        "channels must be a power of two, of 16 bytes at least and of a wave at most, but one is 256: use 32 channels");
    EXPECT_EQ(broken([](config& c) { c.halo = 300; }),
              "the threads must share the halo's pixels evenly, of which there are 1023 at most, but one is 300: use a "
              "multiple of threads * 8 / channels");
    EXPECT_EQ(
        broken([](config& c) { c.stages = 3; }),
        "halos must be 2 to 4 where copies are asynchronous, 1 or 2 where they are not, but one is 3: use 2 stages");
    EXPECT_EQ(broken([](config& c) { c.halo = 896; }),
              "what a block has in LDS must fit, but one is 72960: use fewer stages, or a smaller halo");
}

} // namespace
} // namespace ck_tile::depthwise_conv_fwd
