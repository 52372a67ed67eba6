// SPDX-License-Identifier: MIT
// Convolutions of few channels per group, held against fp64, for each direction alike: every instance on problems that regions and slices do not
// divide, on random ones of its own window, and what instances say of those that they do not support. Compiled once per operation,
// CK_TILE_OPERATION, whose description is CK_TILE_OPERATION_HEADER.
#include CK_TILE_OPERATION_HEADER
#include CK_TILE_CONFIGURATION_HEADER

#include "tests/support/narrow_problems.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>
#include <limits>

namespace ck_tile::conv
{
namespace
{

using operation = CK_TILE_OPERATION::operation;
using config    = operation::config;
using problem   = operation::problem;

constexpr bool makes_dx = config::made == direction::backward_data,
               makes_dw = config::made == direction::backward_weight;

class Kernel : public kernel_test
{
  protected:
    problem with(std::int64_t groups, extents input, extents filter = {3, 3}, std::int64_t stride = 1,
                 std::int64_t of_group = 1) const
    {
        problem p;
        p.type = type, p.groups = groups, p.c = p.k = of_group, p.batch = 3, p.input = input, p.filter = filter,
        p.stride = {stride, stride, stride};
        return p;
    }
    // If an instance for it was built.
    void expect_right(const problem& p)
    {
        if(make_plan<operation>(dev, p))
            ck_tile::expect_all_instances_right(dev, experiment<operation>(p));
    }

    // With a NaN in one operand, and infinities, then in the other one: in the first pixel, which taps in the padding leave out, in the middle, and in
    // the last channel.
    void expect_contained(const problem& p)
    {
        if(!make_plan<operation>(dev, p))
            return;
        constexpr bool makes_weights = config::made == direction::backward_weight;
        const auto of_x = static_cast<std::size_t>(p.groups * p.c), of_y = static_cast<std::size_t>(p.groups * p.k);
        expect_contained(p, makes_dx ? "out" : "in", makes_dx ? of_y : of_x);
        if(makes_weights)
            expect_contained(p, "out", of_y);
        else // 0 of the padding times a weight that is not finite is a NaN: of pixels that see none
            expect_contained(without_padding(p), "wei", static_cast<std::size_t>(p.c));
    }

  private:
    static problem without_padding(problem p)
    {
        for(int i = 0; i < p.spatial; ++i)
        {
            const auto d  = static_cast<std::size_t>(i);
            p.left_pad[d] = p.right_pad[d] = makes_dx ? (p.filter[d] - 1) * p.dilation[d] : 0;
        }
        return p;
    }

    void expect_contained(const problem& p, std::string_view tensor, std::size_t channels)
    {
        const experiment<operation> e(p, 1, [&](harness::tensor_set& set) {
            harness::host_tensor& operand = set[tensor];
            std::vector<float> values     = operand.values();
            const std::size_t pixels      = values.size() / channels; // or channels and taps, of weights
            values[channels / 3]          = NAN;
            values[channels * (pixels / 5) + channels / 2] = std::numeric_limits<float>::infinity();
            values[channels * (pixels / 4 + 1) - 1]        = -std::numeric_limits<float>::infinity();
            operand.set_values(values);
        });
        const auto& right  = e.expected()[0].values;
        const auto reached = std::count_if(right.begin(), right.end(), [](double v) { return !std::isfinite(v); });
        EXPECT_GT(reached, 0) << tensor;
        EXPECT_LT(reached, std::ssize(right)) << tensor;
        ck_tile::expect_all_instances_right(dev, e);
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

// Groups that fill a slice of 16 channels, and those of which it has several; the last slice has a part of them.
TEST_P(Kernel, SeveralChannelsPerGroup)
{
    for(const auto& [groups, of_group] :
        {std::pair(12, 2), {5, 2}, {9, 4}, {32, 4}, {5, 8}, {3, 16}, {5, 16}, {3, 32}, {2, 48}, {1, 64}})
        for(const auto& [height, width] : {std::pair(1, 1), {9, 17}, {7, 7}, {30, 5}})
            for(const std::int64_t stride : {1, 2})
                expect_right(with(groups, {height, width}, {3, 3}, stride, of_group));
}

// More channels of Y per group than of X, or fewer, and groups that slices and vectors of channels cut.
constexpr std::tuple<int, int, int> differing_groups[] = {
    {40, 1, 2}, {5, 1, 2}, {37, 1, 3}, {24, 1, 4},  {21, 1, 5},  {9, 1, 8},   {5, 1, 16},   {3, 1, 32},
    {18, 2, 4}, {7, 3, 6}, {9, 4, 8},  {3, 8, 16},  {5, 3, 4},   {10, 4, 2},  {11, 2, 1},   {9, 6, 2},
    {7, 3, 3},  {5, 5, 5}, {6, 6, 6},  {5, 12, 12}, {1, 64, 96}, {1, 24, 40}, {1, 128, 64}, {2, 40, 80}};

TEST_P(Kernel, ChannelsPerGroupThatDiffer)
{
    for(const auto& [groups, c, k] : differing_groups)
        for(const std::int64_t stride : {1, 2})
            for(const layout order : {layout::nhwgc, layout::gnhwc, layout::ngchw})
            {
                problem p = with(groups, {9, 12}, {3, 3}, stride);
                p.c = c, p.k = k, p.layout = order;
                expect_right(p);
            }
}

TEST_P(Kernel, AnyWindowOfChannelsThatDiffer)
{
    for(const auto& [groups, c, k] : {std::tuple(24, 1, 2), {13, 1, 3}, {6, 4, 8}, {5, 4, 2}})
    {
        problem p = with(groups, {19, 13}, {5, 4}, 1);
        p.c = c, p.k = k;
        expect_right(p);
        p.dilation = {2, 1}, p.stride = {makes_dx ? 1 : 3, makes_dx ? 1 : 2};
        expect_right(p);
        p.filter = {9, 11}, p.dilation = p.stride = {1, 1}, p.left_pad = p.right_pad = {4, 5};
        expect_right(p);
        p.spatial = 3, p.filter = {3, 3, 3}, p.input = {5, 9, 11}, p.dilation = p.stride = {1, 1, 1};
        p.left_pad = p.right_pad = {1, 1, 1};
        expect_right(p);
    }
}

// Windows that no instance is compiled for: longer, dilated, even, and of more taps than a block has sums or weights of.
TEST_P(Kernel, AnyWindow)
{
    for(const std::int64_t of_group : {1, 4, 16})
    {
        problem p = with(48 / of_group, {19, 13}, {5, 5}, 1, of_group);
        expect_right(p);
        p.filter = {3, 3}, p.dilation = {2, 4}, p.left_pad = {2, 4}, p.right_pad = {2, 4};
        expect_right(p);
        p.stride = {2, 3};
        expect_right(p);
        p.filter = {2, 6}, p.dilation = {1, 1};
        expect_right(p);
        p.filter = {9, 11}, p.stride = {1, 1};
        expect_right(p);
        problem line = with(48 / of_group, {75}, {31}, 1, of_group);
        line.spatial = 1, line.left_pad = line.right_pad = {15};
        expect_right(line);
    }
}

// Filters of long rows, and of many: as long as instances take, and longer; dilated; with padding beyond the image; of channel multipliers.
TEST_P(Kernel, LongRows)
{
    for(const auto& [rows, cols, dilation] :
        {std::tuple(13, 13, 1), {15, 17, 1}, {16, 18, 1}, {31, 33, 1}, {51, 5, 1}, {3, 65, 1}, {5, 5, 4}, {7, 2, 16}})
        for(const std::int64_t multiplier : {1, 3})
        {
            problem p   = with(10, {18, 35}, {rows, cols}, 1);
            p.batch     = 2;
            p.k         = multiplier;
            p.dilation  = {dilation, dilation};
            p.left_pad  = {rows * dilation / 2, cols * dilation / 2};
            p.right_pad = {rows * dilation / 2 + 1, cols * dilation / 2};
            expect_right(p);
            p.stride = {2, 2};
            if(multiplier == 1 && rows < 20)
                expect_right(p);
        }
}

// Filters of several planes, and of one; strides and dilations across planes; images of fewer planes than the filter, whose windows see padding.
TEST_P(Kernel, ThreeDimensions)
{
    for(const std::int64_t of_group : {1, 2, 8, 16})
        for(const auto& [depth, planes, stride, dilation] : {std::tuple(1, 3, 1, 1),
                                                             {5, 3, 1, 1},
                                                             {9, 3, makes_dx ? 1 : 2, 1},
                                                             {8, 2, 1, 3},
                                                             {4, 1, 1, 1},
                                                             {7, 1, makes_dx ? 1 : 3, 1}})
        {
            problem p  = with(48 / of_group, {depth, 9, 15}, {planes, 3, 3}, 1, of_group);
            p.spatial  = 3;
            p.stride   = {stride, 1, 1};
            p.dilation = {dilation, 1, 1};
            p.left_pad = {dilation, 1, 1}, p.right_pad = {0, 1, 1};
            if(depth + dilation < p.window(0))
                p.right_pad[0] = p.window(0);
            expect_right(p);
            if(of_group == 2)
            {
                p.layout = layout::ngchw;
                expect_right(p);
            }
            p.layout = layout::nhwgc, p.filter = {planes, 1, 4}, p.stride[2] = makes_dx ? 1 : 2;
            expect_right(p);
        }
}

// Uneven padding, wider than the filter, or none; and 1-D, causal.
TEST_P(Kernel, Padding)
{
    for(const std::int64_t stride : {1, 2})
        for(const std::int64_t of_group : {1, 8})
            for(const auto& [left, right] : {std::pair(0, 0), {0, 3}, {4, 1}, {7, 0}})
            {
                problem p  = with(16 / of_group, {11, 8}, {3, 3}, stride, of_group);
                p.left_pad = {left, right}, p.right_pad = {right, left};
                expect_right(p);
            }
    problem causal = with(40, {75}, {4});
    causal.spatial = 1, causal.left_pad = {3}, causal.right_pad = {0};
    expect_right(causal);
}

TEST_P(Kernel, ChannelsFirst)
{
    for(const auto& [groups, of_group] : {std::pair(5, 1), {24, 1}, {6, 4}, {5, 2}})
    {
        problem p = with(groups, {9, 7}, {3, 3}, 1, of_group);
        p.layout  = layout::ngchw;
        expect_right(p);
    }
}

// One group of few channels of X, as first layers of networks have, of which products take neighbouring taps: rows of taps that fill a product, and
// those that do not; windows that instances know, and others; channels of Y that end in a slice.
TEST_P(Kernel, FirstLayers)
{
    for(const auto& [c, k] : {std::pair(1, 16), {2, 33}, {3, 64}, {3, 1}, {4, 40}})
        for(const auto& [filter, stride] : {std::pair(1, 1), {3, 1}, {3, 2}, {4, 3}, {7, 2}})
            for(const layout order : {layout::nhwgc, layout::ngchw})
            {
                problem p = with(1, {23, 37}, {filter, filter}, stride);
                p.c = c, p.k = k, p.layout = order;
                p.left_pad = {filter / 2, filter - 1}, p.right_pad = {0, filter / 2};
                expect_right(p);
            }
    problem deep = with(1, {5, 11, 19}, {2, 3, 5}, 2);
    deep.spatial = 3, deep.c = 3, deep.k = 20, deep.stride = {1, 2, 2}, deep.dilation = {2, 2, 1};
    expect_right(deep);
    problem line = with(1, {190}, {10}, 5);
    line.spatial = 1, line.c = 1, line.k = 48;
    expect_right(line);
}

// What lies beside a window, and is multiplied by 0, does not reach its sums.
TEST_P(Kernel, WhatIsNotFiniteOfFirstLayers)
{
    for(const extents& filter : {extents{3, 3}, extents{7, 7}, extents{2, 5}})
    {
        problem p = with(1, {19, 21}, filter, 2);
        p.c = 3, p.k = 24;
        expect_contained(p);
    }
}

TEST_P(Kernel, EmptyBatch)
{
    for(const std::int64_t of_group : {1, 4})
    {
        problem p = with(8, {6, 6}, {3, 3}, 1, of_group);
        p.batch   = 0;
        expect_right(p);
    }
}

// With biases, where there are some.
template <class Problem>
Problem biased(Problem p)
{
    if constexpr(requires { p.bias; })
        p.bias = true;
    return p;
}

// What is not finite stays in its group and in the windows that contain it: of either operand, of groups of each size that has a formulation. Sums
// that are made again begin with biases, too.
TEST_P(Kernel, WhatIsNotFinite)
{
    for(const std::int64_t of_group : {1, 2, 8, 16, 32, 64})
        expect_contained(biased(with(of_group >= 32 ? 2 : 48 / of_group, {9, 10}, {3, 3}, 1, of_group)));
}

// Neither reaches the channels that share a slice with it.
TEST_P(Kernel, WhatIsNotFiniteOfChannelsThatDiffer)
{
    for(const auto& [groups, c, k] : {std::tuple(24, 1, 2), {11, 1, 3}, {7, 4, 8}, {10, 4, 2}, {7, 3, 3}})
        for(const extents& filter : {extents{3, 3}, extents{2, 5}})
        {
            problem p = with(groups, {9, 10}, filter);
            p.c = c, p.k = k;
            expect_contained(p);
        }
}

TEST_P(Kernel, WhatIsNotFiniteOfThreeDimensions)
{
    for(const std::int64_t of_group : {1, 4, 16})
        for(const extents& filter : {extents{3, 3, 3}, extents{3, 2, 4}})
        {
            problem p = with(48 / of_group, {4, 7, 6}, filter, 1, of_group);
            p.spatial = 3;
            expect_contained(p);
        }
}

// The same of a window that the compiler does not know, whose pixels are found again one by one.
TEST_P(Kernel, WhatIsNotFiniteOfAnyWindow)
{
    for(const std::int64_t of_group : {1, 4, 16, 32})
    {
        problem p  = with(of_group == 32 ? 2 : 48 / of_group, {12, 15}, {2, of_group == 32 ? 4 : 5}, 1, of_group);
        p.dilation = {3, 1}, p.stride = {makes_dx ? 1 : 2, 1}; // pixels at the border are those of fewer taps
        expect_contained(p);
    }
}

TEST_P(Kernel, SameBits)
{
    for(const std::int64_t of_group : {1, 8})
        if(const problem p = with(72 / of_group, {17, 19}, {3, 3}, 1, of_group); make_plan<operation>(dev, p))
            ck_tile::expect_same_bits(dev, experiment<operation>(p));
}

TEST_P(Kernel, ReferenceKernel)
{
    for(const layout order : {layout::nhwgc, layout::gnhwc, layout::ngchw})
    {
        problem p = with(5, {6, 7}, {3, 2}, 2);
        p.layout  = order;
        const experiment<operation> e(p);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

// Of problems that have one.
template <class Problem>
Problem with_epilogue(Problem p, random_numbers& random)
{
    if constexpr(requires { p.activation; })
    {
        p.bias       = random.between(0, 1) != 0;
        p.residual   = random.between(0, 1) != 0;
        p.activation = enumerators<activation>::all[static_cast<std::size_t>(random.between(0, 3))].value;
    }
    return p;
}

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(GetParam(),
                                      {.problems = 4, .draw = [](const config& c, random_numbers& random) -> problem {
                                           return with_epilogue(problem(random_narrow_problem(c, random)), random);
                                       }});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

// Of instances whose products take two taps; forward, as other problems have no residual.
template <class Problem>
void expect_no_residual_of_pairs(config pairs, Problem p)
{
    if constexpr(requires { p.residual; })
    {
        pairs.arch = architecture::sm90, pairs.channels = 64, pairs.waves = 4, pairs.window = {3, 3, 1};
        pairs.patch = {8, 8}, pairs.halo = 104, pairs.stages = 2, pairs.taps = 2;
        ASSERT_FALSE(check(pairs));
        p.stride   = {1, 1, 1};
        p.residual = true;
        EXPECT_EQ(reason_of<operation>(pairs, p),
                  "products of squares add no residual: choose an instance of 1 tap, whose operands are in registers");
        p.residual = false;
        EXPECT_EQ(reason_of<operation>(pairs, p), "");
    }
}

TEST(Rejections, SayWhy)
{
    constexpr int stride = makes_dx ? 2 : 1;
    const config c       = {.arch     = architecture::sm90,
                            .type     = data_type::fp16,
                            .group    = 1,
                            .channels = 32,
                            .waves    = 4,
                            .window   = {3, 3, stride},
                            .patch    = makes_dx ? patch{4, 6} : patch{2, 7},
                            .halo     = 192,
                            .stages   = 2};
    ASSERT_FALSE(check(c));
    problem good;
    good.spatial = 2;
    good.stride  = {stride, stride, 1};
    ASSERT_TRUE(supports(instance<operation>{c, nullptr}, good));
    const auto reason = [&](auto&& change) {
        problem p = good;
        change(p);
        return reason_of<operation>(c, p);
    };
    const auto with_planes = [&](int planes, std::int64_t of_filter, std::int64_t step) {
        config several = c;
        several.planes = planes;
        problem p      = good;
        p.spatial      = 3;
        p.filter = {of_filter, 3, 3}, p.stride = {step, stride, stride}, p.left_pad[0] = of_filter;
        return reason_of<operation>(several, p);
    };
    EXPECT_EQ(with_planes(3, 3, 1), "");
    EXPECT_EQ(with_planes(1, 1, 1),
              "the instance sees one plane, and the problem has 3 dimensions: choose one of several "
              "planes, or an implicit GEMM");
    EXPECT_EQ(with_planes(3, 4, 1), "a filter must have 3 planes at most, but has 4: choose an implicit GEMM");
    EXPECT_EQ(with_planes(3, 3, 2),
              makes_dx ? "the stride along depth must be 1, but is 2: choose an implicit GEMM" : "");
    EXPECT_EQ(reason([](problem& p) { p.k = 2; }),
              "the instance is of groups of 1 channel, and the problem has G = 128, C = 1 and K = 2: choose one of "
              "groups of 16 channels, or an implicit GEMM");
    config wide = c; // whose threads have one channel each
    wide.type = data_type::fp32, wide.waves = 8;
    ASSERT_FALSE(check(wide));
    for(const std::int64_t channels : {1, 2, 3, 8, 32})
    {
        problem p = good;
        p.type = data_type::fp32, p.k = channels;
        EXPECT_EQ(reason_of<operation>(wide, p), "");
    }
    EXPECT_EQ(reason([](problem& p) { p.layout = layout::gnhwc; }),
              "the channels of a pixel must lie side by side, or be planes of an image, and the layout is gnhwc: "
              "choose nhwgc or ngchw");
    const std::string compiled = fmt::format("the instance is compiled for filter 3x3, stride {} and dilation 1: "
                                             "choose one compiled for the problem's, or an implicit GEMM",
                                             stride);
    EXPECT_EQ(reason([](problem& p) { p.filter = {3, 5, 1}; }), compiled);
    EXPECT_EQ(reason([](problem& p) { p.dilation = {1, 2, 1}; }), compiled);
    EXPECT_EQ(reason([](problem& p) { p.stride = {3, 3, 1}; }), compiled);
    config small = c;
    small.halo   = makes_dx ? 8 : 16;
    EXPECT_EQ(reason_of<operation>(small, good),
              fmt::format("the windows of a patch must see {} pixels at most, but see {}: choose an instance of a "
                          "larger halo",
                          small.halo, makes_dx ? 12 : 36));
    const config of_groups = {.arch     = architecture::sm90,
                              .type     = data_type::fp16,
                              .group    = 16,
                              .channels = 32,
                              .waves    = 4,
                              .window   = {3, 3, stride},
                              .patch    = {4, 8 * stride},
                              .halo     = 192,
                              .stages   = 2};
    ASSERT_FALSE(check(of_groups));
    const auto reason_of_groups = [&](std::int64_t groups, std::int64_t of_x, std::int64_t of_y) {
        problem p = good;
        p.groups = groups, p.c = of_x, p.k = of_y;
        return reason_of<operation>(of_groups, p);
    };
    for(const auto& [of_x, of_y] :
        {std::pair(2, 2), {4, 4}, {16, 16}, {1, 2}, {1, 3}, {1, 4}, {1, 8}, {2, 4}, {4, 8}, {8, 16}, {4, 2}, {2, 1}})
        EXPECT_EQ(reason_of_groups(40, of_x, of_y), "");
    EXPECT_EQ(reason_of_groups(40, 1, 1), "the instance is of groups of several channels, and the problem has G = 40, "
                                          "C = 1 and K = 1: choose one of groups of 1 channel, or an implicit GEMM");
    for(const auto& [groups, of_x, of_y] : {std::tuple(40, 17, 17), {40, 32, 32}, {1, 8, 16}, {40, 40, 8}})
        EXPECT_EQ(reason_of_groups(groups, of_x, of_y),
                  fmt::format("the instance is of several groups whose channels fit 16 columns, and the problem has "
                              "G = {}, C = {} and K = {}: choose an implicit GEMM",
                              groups, of_x, of_y));
    config of_squares = of_groups;
    of_squares.group = 8, of_squares.channels = 64, of_squares.waves = 8, of_squares.window = {3, 3, 1};
    of_squares.patch = {8, 8}, of_squares.halo = 104, of_squares.operands = operands_from::squares;
    ASSERT_FALSE(check(of_squares));
    const auto reason_of_squares = [&](std::int64_t of_x, std::int64_t of_y) {
        problem p = good;
        p.stride = {1, 1, 1}, p.groups = 40, p.c = of_x, p.k = of_y;
        return reason_of<operation>(of_squares, p);
    };
    for(const std::int64_t of_group : {2, 4, 8})
        EXPECT_EQ(reason_of_squares(of_group, of_group), "");
    for(const auto& [of_x, of_y] : {std::pair(1, 1), {3, 3}, {16, 16}, {4, 8}})
        EXPECT_EQ(reason_of_squares(of_x, of_y),
                  fmt::format("the instance is of groups of 8 channels, or of a divisor of that, and the problem has G "
                              "= 40, C = {} and K = {}: choose one of groups of 16 channels, or an implicit GEMM",
                              of_x, of_y));
    config of_first_layers = of_groups;
    of_first_layers.taps = 4, of_first_layers.halo = 512;
    EXPECT_EQ(bool(check(of_first_layers)), config::made != direction::forward);
    if(!makes_dx)
    {
        if(makes_dw)
        {
            EXPECT_EQ(reflect::describe(check(of_first_layers)),
                      "pixels of which weights are made must see pixels of X that are a multiple of 16 bytes apart, "
                      "but one is 8: use 2 taps, or an even stride");
            of_first_layers.window = {3, 3, 2};
            EXPECT_FALSE(check(of_first_layers));
        }
        const auto reason_of_few = [&](std::int64_t groups, std::int64_t of_x, int dilation, int rows = 3,
                                       std::int64_t cols_apart = 2) {
            config any = of_first_layers;
            any.window = {0, 12, 0};
            problem p  = good;
            p.groups = groups, p.c = of_x, p.k = 40, p.filter[0] = rows, p.dilation = {1, dilation, 1};
            p.stride   = {1, cols_apart, 1};
            p.left_pad = p.right_pad = {4, 4};
            return reason_of<operation>(any, p);
        };
        EXPECT_EQ(reason_of_few(1, 4, 1), "");
        EXPECT_EQ(
            reason_of_few(1, 5, 1),
            "the instance is of one group of 4 channels of X at most, and the problem has G = 1, C = 5 and K = 40: "
            "choose one of groups of 16 channels, or an implicit GEMM");
        EXPECT_EQ(
            reason_of_few(2, 3, 1),
            "the instance is of one group of 4 channels of X at most, and the problem has G = 2, C = 3 and K = 40: "
            "choose one of groups of 16 channels, or an implicit GEMM");
        EXPECT_EQ(reason_of_few(1, 3, 1, 13),
                  makes_dw // by other blocks
                      ? ""
                      : "a filter must have 12 products of 4 taps of a row at most, but has 13: choose an implicit "
                        "GEMM");
        EXPECT_EQ(reason_of_few(1, 3, 1, 3, 3),
                  makes_dw ? "the stride along rows must be a multiple of 2, but is 3: choose products of fewer taps, "
                             "or an implicit GEMM"
                           : "");
        EXPECT_EQ(reason_of_few(1, 3, 2), "products take neighbouring taps, so that the dilation along rows must be 1, "
                                          "but is 2: choose an implicit GEMM");
    }
    expect_no_residual_of_pairs(c, good);
    const auto reason_of_rows = [&](auto&& change) {
        config of_rows   = c;
        of_rows.channels = 8, of_rows.window = {0, 7, 0}, of_rows.patch = {8, 16}, of_rows.halo = 1024,
        of_rows.stages = 1;
        of_rows.taps   = makes_dw ? 16 : 17;
        problem p      = good;
        p.stride       = {1, 1, 1};
        change(of_rows, p);
        EXPECT_FALSE(check(of_rows));
        return reason_of<operation>(of_rows, p);
    };
    EXPECT_EQ(reason_of_rows([](config&, problem& p) { p.filter = {7, 17, 1}, p.left_pad = {9, 9, 0}; }),
              makes_dw
                  ? "a row of the filter must have 16 taps at most, but has 17: choose an instance of more taps, or "
                    "an implicit GEMM"
                  : "");
    EXPECT_EQ(reason_of_rows([](config&, problem& p) { p.filter = {8, 3, 1}, p.left_pad = {9, 9, 0}; }),
              "a filter must have 7 rows at most, but has 8: choose an implicit GEMM");
    EXPECT_EQ(reason_of_rows(
                  [](config&, problem& p) { p.filter = {3, 7, 1}, p.dilation = {1, 3, 1}, p.left_pad = {9, 9, 0}; }),
              makes_dw ? ""
                       : "a row of the filter, and what 16 windows of it see beyond at a stride of 1, must be 17 "
                         "pixels at most, but "
                         "is 19: choose an instance of more taps, or an implicit GEMM");
    EXPECT_EQ(reason_of_rows([](config&, problem& p) { p.k = 2; }),
              makes_dx || makes_dw
                  ? "the instance is of groups of 1 channel, and the problem has G = 128, C = 1 and K = 2: choose "
                    "one of groups of 16 channels, or an implicit GEMM"
                  : "");
    EXPECT_EQ(reason_of_rows([](config&, problem& p) { p.stride = {1, 2, 1}; }),
              makes_dx || makes_dw
                  ? "strides must be 1 for rows of the filter, but are 1x2: choose an instance of 1 tap, or an "
                    "implicit GEMM"
                  : "the stride along rows must be 1 at most, but is 2: choose an instance of more taps, or an "
                    "implicit GEMM");
    EXPECT_EQ(reason_of_rows([](config& with, problem& p) { with.taps = makes_dw ? 32 : 33, p.stride = {2, 2, 1}; }),
              makes_dx || makes_dw
                  ? "strides must be 1 for rows of the filter, but are 2x2: choose an instance of 1 tap, or an "
                    "implicit GEMM"
                  : "");
    if(makes_dw)
        return; // which blocks make of groups of 16 channels at most
    config of_parts = of_groups;
    of_parts.group  = 32;
    EXPECT_TRUE(check(of_parts)); // taps of a window that the compiler knows
    of_parts.window = {0, 9, 0}, of_parts.patch = {4, 8};
    ASSERT_FALSE(check(of_parts));
    good.stride = {1, 1, 1};
    good.c = good.k = 32;
    EXPECT_EQ(reason_of<operation>(of_parts, good), "");
    good.c = good.k = 16;
    EXPECT_EQ(reason_of<operation>(of_parts, good),
              "the instance is of groups of 32 channels, and the problem has G = 128, C = 16 and K = 16: choose one of "
              "groups of 16 channels, or an implicit GEMM");
    config in_lds   = of_parts; // of which blocks take several groups
    in_lds.operands = operands_from::lds, in_lds.patch = {16, 8}, in_lds.halo = 384;
    ASSERT_FALSE(check(in_lds));
    EXPECT_EQ(reason_of<operation>(in_lds, good), "");
    good.c = good.k = 24;
    EXPECT_EQ(reason_of<operation>(in_lds, good), "");
    (makes_dx ? good.c : good.k) = 96, good.groups = 1;
    EXPECT_EQ(reason_of<operation>(in_lds, good), "");
    (makes_dx ? good.k : good.c) = 40;
    EXPECT_EQ(
        reason_of<operation>(in_lds, good),
        fmt::format("the instance is of groups that see 32 channels at most, and make 128, and the problem has G = "
                    "1, C = {} and K = {}: choose an implicit GEMM",
                    makes_dx ? 96 : 40, makes_dx ? 40 : 96));
    good.c = good.k = 24, good.groups = 128;
    good.stride = {2, 1, 1};
    EXPECT_EQ(reason_of<operation>(in_lds, good),
              makes_dx ? "strides must be 1 for any window by matrix instructions, but are 2x1: choose an instance of "
                         "groups of 1 channel, or an implicit GEMM"
                       : "");
    good.stride = {1, 2, 1};
    EXPECT_EQ(reason_of<operation>(in_lds, good),
              makes_dx ? "strides must be 1 for any window by matrix instructions, but are 1x2: choose an instance of "
                         "groups of 1 channel, or an implicit GEMM"
                       : "the stride along rows must be 1 for any window of operands in LDS, but is 2: choose an "
                         "instance whose operands are in registers, or an implicit GEMM");
}

} // namespace
} // namespace ck_tile::conv
