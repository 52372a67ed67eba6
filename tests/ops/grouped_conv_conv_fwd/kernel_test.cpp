// SPDX-License-Identifier: MIT
// A convolution, activation and a 1x1 convolution in one kernel, held against the two one after the other in fp64, the intermediate rounded.
#include "ops/grouped_conv_conv_fwd/operation.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>
#include <limits>
#include <tuple>

namespace ck_tile::grouped_conv_conv_fwd
{
namespace
{

using problem = operation::problem;

class Kernel : public kernel_test
{
  protected:
    // Depthwise, 3x3.
    problem depthwise(std::int64_t channels, std::int64_t k1, std::int64_t height = 9, std::int64_t width = 10) const
    {
        problem p;
        p.type = type, p.groups = channels, p.batch = 2, p.k1 = k1, p.input = {height, width};
        return p;
    }
    // 1x1, of one group.
    problem dense(std::int64_t c, std::int64_t k0, std::int64_t k1, std::int64_t height = 9,
                  std::int64_t width = 10) const
    {
        problem p = depthwise(1, k1, height, width);
        p.c = c, p.k = k0, p.filter = {1, 1}, p.left_pad = {}, p.right_pad = {};
        return p;
    }
    plan<operation> one_after_other(const problem& p) const
    {
        const auto chosen = make_plan<operation>(dev, p, {.instance = operation::composed});
        EXPECT_TRUE(chosen) << chosen.reason();
        return *chosen;
    }
};

// Channels that end in the middle of a step, and of a vector; regions of a part of an image, and of several images.
TEST_P(Kernel, RegionesAndStepsThatDoNotComeOutEven)
{
    for(const std::int64_t channels : {1, 8, 21, 40, 72, 136})
        ck_tile::expect_all_instances_right(dev, experiment<operation>(depthwise(channels, 24)));
    for(const auto& [height, width] : {std::pair(1, 1), {3, 40}, {40, 3}, {7, 7}, {17, 19}})
    {
        problem p = depthwise(24, 8, height, width);
        p.batch   = 5;
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p));
    }
}

// Of what keeps the intermediate, where a target has it: steps of W1 that LDS has stages for, of one tile of columns alone.
TEST_P(Kernel, SeveralTilesOfColumns)
{
    for(const instance<operation>* i : instances<operation>(dev))
        for(const std::int64_t channels : {40, 72, 136})
        {
            problem p = depthwise(channels, 200);
            if(const conv::known_window& w = i->configuration.window; !w.any())
                p.filter = {w.rows, w.cols}, p.stride = {w.stride, w.stride};
            if(supports(*i, p))
                if(const auto chosen = make_plan<operation>(dev, p, {.instance = name_of(*i)}); chosen)
                {
                    const experiment<operation> e(p);
                    e.expect_right(e.run_plan(dev, *chosen), ck_tile::describe_plan(*chosen));
                }
        }
}

TEST_P(Kernel, BiasesActivationsLayouts)
{
    int number = 0;
    for(const auto& activation : enumerators<conv::activation>::all)
        for(const bool bias : {false, true})
        {
            problem p    = depthwise(40, 12);
            p.activation = activation.value, p.bias = bias;
            p.layout = number++ % 2 == 0 ? conv::layout::nhwgc : conv::layout::ngchw;
            ck_tile::expect_all_instances_right(dev, experiment<operation>(p, 1, [](harness::tensor_set& set) {
                                                    std::vector<float> in = set["in"].values();
                                                    for(float& x : in)
                                                        x *= 4; // so that relu6 has something to cut off
                                                    set["in"].set_values(in);
                                                }));
        }
}

// Strides, dilations, uneven padding, windows of other lengths, 1-D: by whatever supports them, and by two launches.
TEST_P(Kernel, OtherWindows)
{
    const auto with = [&](int spatial, conv::extents filter, conv::extents stride, conv::extents dilation,
                          conv::extents left, conv::extents right) {
        problem p = depthwise(24, 16, 13, 15);
        p.spatial = spatial, p.filter = filter, p.stride = stride, p.dilation = dilation, p.left_pad = left,
        p.right_pad = right;
        return p;
    };
    for(const problem& p :
        {with(2, {3, 3}, {2, 2}, {1, 1}, {1, 0}, {0, 1}), with(2, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}),
         with(2, {5, 5}, {2, 2}, {1, 1}, {2, 1}, {2, 3}), with(2, {7, 7}, {1, 1}, {1, 1}, {3, 3}, {3, 3}),
         with(2, {2, 4}, {3, 1}, {2, 3}, {0, 4}, {5, 0}), with(1, {4}, {1}, {1}, {3}, {0}),
         with(1, {3}, {2}, {2}, {1}, {4})})
    {
        const experiment<operation> e(p);
        ck_tile::expect_all_instances_right(dev, e);
        e.expect_right(e.run_plan(dev, one_after_other(p)), "two launches");
    }
}

// Two 1x1 convolutions: channels of all three tensors that end in the middle of a step, of what a product is deep, and of a vector; pixels that
// are fewer than a tile's, and more than those of all blocks; one dimension and three.
TEST_P(Kernel, OneByOneThenOneByOne)
{
    const std::int64_t deep = type == data_type::fp32 ? 1 : 2;
    int number              = 0;
    for(const auto& [c, k0, k1] : {std::tuple<std::int64_t, int, int>(8, 8, 8),
                                   {16, 40, 24},
                                   {40, 64, 32},
                                   {36 * deep, 136, 60},
                                   {50 * deep, 65, 37},
                                   {24, 320, 17}})
    {
        problem p    = dense(c, k0, k1, 7, number % 2 == 0 ? 5 : 31);
        p.activation = enumerators<conv::activation>::all[number % 4].value, p.bias = number % 3 != 0;
        p.layout = number++ % 4 == 3 ? conv::layout::ngchw : conv::layout::nhwgc;
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p));
    }
    problem line = dense(24, 48, 16, 333), volume = dense(16, 24, 8, 3, 4), pixel = dense(16, 24, 8, 1, 1);
    line.spatial = 1, line.bias = true;
    volume.spatial = 3, volume.filter[2] = 1, volume.left_pad[2] = volume.right_pad[2] = 0, volume.input[2] = 5;
    pixel.batch = 1;
    for(const problem& p : {line, volume, pixel})
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p));
    ck_tile::expect_same_bits(dev, experiment<operation>(dense(36 * deep, 136, 60, 17, 19)));
}

// What no fused instance computes: channels per group, channel multipliers, three dimensions, an intermediate that LDS does not hold.
TEST_P(Kernel, OneConvolutionAfterTheOther)
{
    problem grouped = depthwise(4, 24);
    grouped.k = 6, grouped.c = 8, grouped.bias = true, grouped.activation = conv::activation::silu;
    problem multiplied = depthwise(8, 24);
    multiplied.k       = 2;
    problem pointwise  = dense(16, 40, 24);
    pointwise.stride   = {2, 1};
    pointwise.layout   = conv::layout::ngchw;
    problem voluminous = depthwise(4, 5, 4, 3);
    voluminous.spatial = 3, voluminous.filter[2] = 3, voluminous.input[2] = 5;
    for(const problem& p : {grouped, multiplied, pointwise, voluminous, depthwise(3000, 520, 3, 3)})
    {
        const auto chosen = make_plan<operation>(dev, p);
        ASSERT_TRUE(chosen) << chosen.reason();
        EXPECT_EQ(names_of(*chosen), operation::composed);
        const experiment<operation> e(p);
        e.expect_right(e.run_plan(dev, *chosen), names_of(*chosen));
    }
}

// The reference kernel and the reference on the CPU agree.
TEST_P(Kernel, ReferenceKernel)
{
    for(const conv::layout layout : {conv::layout::nhwgc, conv::layout::ngchw})
    {
        problem p = depthwise(5, 7);
        p.layout = layout, p.k = 2, p.c = 3, p.bias = true, p.activation = conv::activation::relu6;
        const experiment<operation> e(p);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

// A NaN of the input reaches the pixels whose windows have it, and no others; an infinity that relu6 cuts off none.
TEST_P(Kernel, WhatIsNotFinite)
{
    problem p    = depthwise(24, 8);
    p.activation = conv::activation::relu6;
    const experiment<operation> e(p, 0, [&](harness::tensor_set& set) {
        std::vector<float> in = set["in"].values();
        in[24 * 12 + 3]       = NAN; // pixel (1, 2)
        in[24 * 57 + 9]       = std::numeric_limits<float>::infinity();
        set["in"].set_values(in);
    });
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 9 * 8);
    ck_tile::expect_all_instances_right(dev, e);
}

TEST_P(Kernel, WhatIsNotFiniteOfTwoProducts)
{
    problem p    = dense(24, 40, 8);
    p.activation = conv::activation::relu;
    const experiment<operation> e(p, 0, [&](harness::tensor_set& set) {
        std::vector<float> in = set["in"].values();
        in[24 * 12 + 3]       = NAN;
        set["in"].set_values(in);
    });
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 8);
    ck_tile::expect_all_instances_right(dev, e);
}

TEST_P(Kernel, SameBits) { ck_tile::expect_same_bits(dev, experiment<operation>(depthwise(72, 24, 17, 19))); }

TEST_P(Kernel, EmptyBatch)
{
    for(problem p : {depthwise(8, 8), dense(8, 8, 8)})
    {
        p.batch = 0;
        const experiment<operation> e(p);
        e.run_plan(dev, *make_plan<operation>(dev, p));
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

TEST(Problem, Rejections)
{
    const auto reason = [](auto&& change) {
        problem p;
        change(p);
        return validate(p).reason();
    };
    EXPECT_EQ(reason([](problem& p) { p.k1 = 0; }), "K1 must be positive, but is 0: choose 1 or more");
    EXPECT_EQ(
        reason([](problem& p) { p.layout = conv::layout::gnhwc; }),
        "layout must be nhwgc or ngchw, as the second convolution takes the channels of all groups, but is gnhwc: "
        "choose one of them");
    EXPECT_EQ(reason([](problem& p) { p.groups = 1 << 20, p.k = 1 << 20; }),
              "G * K0 must fit 32 bits, but is 1099511627776: choose 2147483647 or less");
}

// Of an instance for 3 x 3 windows that does not keep the intermediate, and of one that keeps 8 steps.
TEST(Supports, Rejections)
{
    const config once = {.arch        = architecture::gfx942,
                         .first       = formulation::depthwise,
                         .block       = {128, 64, 32},
                         .waves       = {2, 2},
                         .instruction = opcode::mfma_16x16x16_fp16,
                         .epilogue    = gemm::epilogue::through_lds,
                         .window      = {3, 3, 1},
                         .patch       = {2, 4},
                         .halo        = 192,
                         .ahead       = 1,
                         .kept        = 1};
    config keeps = once, any = once;
    keeps.kept = 4;
    any.window = {0, 64, 0};
    ASSERT_FALSE(check(once));
    const auto reason = [](const config& c, auto&& change) {
        problem p;
        change(p);
        return reason_of<operation>(c, p);
    };
    const auto nothing = [](problem&) {};
    EXPECT_EQ(reason(once, nothing), "");
    EXPECT_EQ(reason(once, [](problem& p) { p.spatial = 3, p.filter[2] = 3, p.input[2] = 9; }),
              "the instance has 2 spatial dimensions, the problem 3: run the convolutions one after the other, "
              "--instance grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(
        reason(once, [](problem& p) { p.c = 2; }),
        "the instance is depthwise, and the problem has C = 2 and K0 = 1: run the convolutions one after the other, "
        "--instance grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(reason(once, [](problem& p) { p.stride = {2, 2}; }),
              "the instance is compiled for filter 3x3, stride 1 and dilation 1: choose one of any window, of 0 "
              "rows");
    EXPECT_EQ(
        reason(once, [](problem& p) { p.k1 = 65; }),
        "K1 must be 64 at most, but is 65: choose an instance that keeps the intermediate, or of a larger block.n");
    EXPECT_EQ(
        reason(keeps, nothing),
        "the channels of the intermediate must be 128 at most, so that LDS holds them, but are 144: choose an instance "
        "that keeps more, or run the convolutions one after the other, --instance grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(reason(any, [](problem& p) { p.filter = {9, 9}; }),
              "a filter must have 64 taps at most, but has 81: run the convolutions one after the other, --instance "
              "grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(reason(any, [](problem& p) { p.stride = {7, 7}; }),
              "the windows of a patch must see 192 pixels at most, but see 240: choose an instance of a larger halo");
}

// Of an instance whose first convolution is dense, of 64 channels of X at most.
TEST(Supports, RejectionsOfDenseInstances)
{
    const config instance = {.arch        = architecture::gfx942,
                             .first       = formulation::dense,
                             .block       = {64, 64, 32},
                             .waves       = {2, 2},
                             .instruction = opcode::mfma_16x16x16_fp16,
                             .epilogue    = gemm::epilogue::through_lds,
                             .window      = {1, 1, 1},
                             .patch       = {1, 1},
                             .halo        = 128,
                             .ahead       = 1,
                             .kept        = 1};
    ASSERT_FALSE(check(instance));
    const auto reason = [&](auto&& change) {
        problem p;
        p.groups = 1, p.c = 64, p.k = 96, p.filter = {1, 1}, p.left_pad = {}, p.right_pad = {};
        change(p);
        return reason_of<operation>(instance, p);
    };
    EXPECT_EQ(reason([](problem&) {}), "");
    EXPECT_EQ(
        reason([](problem& p) { p.groups = 2; }),
        "the first convolution of the instance has one group of several channels, the problem's has G = 2 and C = "
        "64: choose a depthwise instance, or run the convolutions one after the other, --instance "
        "grouped_conv_conv_fwd_two_launches");
    for(const auto& change : {+[](problem& p) { p.stride = {1, 2}; }, +[](problem& p) { p.filter = {3, 1}; },
                              +[](problem& p) { p.right_pad = {0, 1}; }})
        EXPECT_EQ(reason(change), "the first convolution of the instance is 1x1 of stride 1 without padding: run the "
                                  "convolutions one after the other, --instance grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(
        reason([](problem& p) { p.c = 65; }),
        "C must be 64 at most, so that LDS holds all channels of block.m pixels, but is 65: choose an instance of a "
        "larger halo, or run the convolutions one after the other, --instance "
        "grouped_conv_conv_fwd_two_launches");
    EXPECT_EQ(
        reason([](problem& p) { p.input = {1 << 16, 1 << 16}; }),
        "the pixels of all images must be 2147483647 at most, but are 17179869184: split the batch in several calls");
}

TEST(Config, RejectionsOfDenseInstances)
{
    const config good = {.arch        = architecture::sm90,
                         .first       = formulation::dense,
                         .block       = {128, 64, 64},
                         .waves       = {8, 1},
                         .instruction = opcode::wgmma_64x64x16_fp16,
                         .epilogue    = gemm::epilogue::by_wave,
                         .window      = {1, 1, 1},
                         .patch       = {1, 1},
                         .halo        = 256,
                         .ahead       = 2,
                         .kept        = 0};
    ASSERT_FALSE(check(good));
    const auto broken = [&](auto&& change) {
        config c = good;
        change(c);
        const violation v = check(c);
        return v ? reflect::describe(v) : std::string();
    };
    EXPECT_EQ(broken([](config& c) { c.window = {3, 3, 1}; }),
              "a dense first convolution has a window of one pixel, but one is 3: set rows, cols and stride of the "
              "window to 1, or use another formulation");
    EXPECT_EQ(broken([](config& c) { c.patch = {2, 8}; }),
              "a dense first convolution has no patches, but one is 16: use patches of one pixel");
    EXPECT_EQ(
        broken([](config& c) { c.halo = 192; }),
        "the halo of a dense first convolution is block.m pixels, so many times block.k channels, but one is 192: "
        "use a multiple of block.m");
    EXPECT_EQ(broken([](config& c) {
                  c.arch = architecture::gfx942, c.instruction = opcode::mfma_16x16x16_fp16, c.waves = {2, 2};
                  c.epilogue = gemm::epilogue::through_lds;
              }),
              "the result of the first instruction must be an operand of the second as it is, but one is "
              "mfma_16x16x16_fp16: keep one step of the intermediate in LDS");
    EXPECT_EQ(
        broken([](config& c) { c.waves = {12, 1}, c.block.m = 192, c.halo = 192, c.ahead = 1; }),
        "the threads must share block.k * channels of X evenly, but one is 64: enlarge the step or use fewer waves");
}

TEST(Config, Rejections)
{
    const config good = {.arch        = architecture::sm90,
                         .first       = formulation::diagonal,
                         .block       = {128, 64, 64},
                         .waves       = {8, 1},
                         .instruction = opcode::wgmma_64x64x16_fp16,
                         .epilogue    = gemm::epilogue::by_wave,
                         .window      = {3, 3, 1},
                         .patch       = {4, 8},
                         .halo        = 192,
                         .ahead       = 1,
                         .kept        = 2};
    ASSERT_FALSE(check(good));
    const auto broken = [&](auto&& change) {
        config c = good;
        change(c);
        const violation v = check(c);
        return v ? reflect::describe(v) : std::string();
    };
    EXPECT_EQ(broken([](config& c) { c.block.k = 32; }), "an instruction that takes operands from LDS reads k in lines "
                                                         "of 128 bytes, but one is 32: use a block.k that is a "
                                                         "multiple of 64");
    EXPECT_EQ(broken([](config& c) { c.block.k = 128; }),
              "boxes of what a diagonal product sees have lines of 64 channels, but one is 128: use a block.k of 64");
    EXPECT_EQ(broken([](config& c) { c.window.rows = c.window.cols = 9; }),
              "a window that the compiler knows must have 64 taps at most, but one is 81: use a smaller one");
    EXPECT_EQ(broken([](config& c) { c.window.stride = 0; }),
              "the compiler must know filter and stride, or none of them, but one is 0: use 0 for rows and stride, or "
              "for neither");
    EXPECT_EQ(broken([](config& c) { c.kept = 0; }),
              "patches, steps ahead and steps kept must be positive, but one is 0: choose 1 or more");
    EXPECT_EQ(broken([](config& c) { c.patch = {2, 16}; }),
              "a diagonal product has rows of 8 pixels, but one is 16: use patches 8 wide, or another formulation");
    EXPECT_EQ(broken([](config& c) { c.patch = {1, 8}; }),
              "a diagonal product has two rows of a patch, but one is 1: use patches of 4 or 8 rows");
    EXPECT_EQ(
        broken([](config& c) { c.window = {}; }),
        "the compiler must know the window of a diagonal product, but one is 0: set its rows, cols and stride, or "
        "use another formulation");
    EXPECT_EQ(
        broken([](config& c) { c.patch = {6, 8}; }),
        "waves must share block.m as whole patches, or as pairs of rows of one, but one is 48: use fewer waves or "
        "smaller patches");
    EXPECT_EQ(broken([](config& c) { c.first = formulation::depthwise; }),
              "threads must share block.m as whole patches, and the quarter of a step as parts of them, but one is 32: "
              "use patches of "
              "block.m * k * element bytes / (4 * threads) pixels");
    EXPECT_EQ(broken([](config& c) { c.halo = 190; }),
              "the threads must share the halo's pixels evenly, but one is 190: use a multiple of threads / 8");
    EXPECT_EQ(broken([](config& c) { c.window = {2, 2, 3}; }),
              "the rows of pixels that a patch sees must fit the halo, but one is 11: use a larger halo or a smaller "
              "patch");
    EXPECT_EQ(broken([](config& c) { c.halo = 1024; }),
              "the halo must be 1023 pixels at most, but one is 1024: use a smaller one");
    EXPECT_EQ(broken([](config& c) { c.kept = 12; }), "LDS of the main loop and the epilogue must fit the block's, but "
                                                      "one is 256016: shrink the tile or the halo, or keep "
                                                      "fewer steps");
}

} // namespace
} // namespace ck_tile::grouped_conv_conv_fwd
