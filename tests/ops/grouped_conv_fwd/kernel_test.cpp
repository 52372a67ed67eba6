// SPDX-License-Identifier: MIT
// What is special about this direction; what it has in common with the others is in grouped_conv/direction_test.cpp.
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv_fwd/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>

namespace ck_tile::grouped_conv_fwd
{
namespace
{

using problem = operation::problem;

// The instance's own choice, one split, and where there is so much to split, three.
std::vector<int> several_splits(const config& c, const problem& p)
{
    return !c.is_pointwise() && p.filter_taps() * p.c >= 3 * c.tile.block.k ? std::vector{0, 1, 3} : std::vector{0, 1};
}

class Kernel : public kernel_test
{};

// A NaN in the input reaches the windows that contain it, in all output channels, and no other.
TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    problem p = conv::problem{.spatial = 2, .groups = 1, .batch = 1, .k = 8, .c = 8, .filter = {3, 3}, .input = {6, 6}};
    p.type    = type;
    experiment<operation> e(p);
    std::vector<float> in = e.set["in"].values();
    in[0]                 = NAN; // pixel (0, 0), channel 0
    e.set["in"].set_values(in);
    ck_tile::expect_all_instances_right(dev, e, several_splits);
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 8 * 4);
}

// So does one of a first layer, whose lines are unfolded with zeros behind what a window sees.
TEST_P(Kernel, NaNsOfUnfoldedLinesStayInTheirWindows)
{
    problem p = conv::problem{
        .spatial = 2, .groups = 1, .batch = 2, .k = 8, .c = 3, .filter = {1, 7}, .input = {1, 40}, .stride = {1, 2}};
    p.left_pad = p.right_pad = {0, 3};
    p.type                   = type;
    experiment<operation> e(p);
    std::vector<float> in = e.set["in"].values();
    in[20 * 3]            = NAN; // pixel 20: windows 9 to 11 have pixels 15 to 25
    e.set["in"].set_values(in);
    ck_tile::expect_all_instances_right(dev, e, several_splits);
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 8 * 3);
}

// Each part of y = activation(convolution + bias + residual) with each other, infinities and NaNs too.
TEST_P(Kernel, FinishesWithBiasResidualAndActivation)
{
    auto problems = conv::in_all_layouts(
        {.spatial = 2, .groups = 2, .batch = 2, .k = 24, .c = 24, .filter = {2, 3}, .input = {6, 5}});
    problems.push_back(conv::pointwise_problem());
    problems.push_back({.spatial = 2,
                        .groups  = 2,
                        .batch   = 2,
                        .k       = 23,
                        .c       = 7,
                        .filter  = {2, 1},
                        .input   = {5, 6}}); // biases of odd channels
    std::size_t number = 0;                  // the layouts take turns
    for(const auto& activation : enumerators<conv::activation>::all)
        for(const int terms : {0, 1, 2, 3})
        {
            problem finished(problems[number++ % problems.size()], (terms & 1) != 0, activation.value,
                             (terms & 2) != 0);
            finished.type = type;
            const experiment<operation> e(finished, 3, [&](harness::tensor_set& set) {
                if(!finished.residual)
                    return;
                std::vector<float> residual = set["residual"].values();
                for(float& r : residual)
                    r *= 8; // so that relu6 has something to cut off
                residual[5] = NAN;
                set["residual"].set_values(residual);
            });
            ck_tile::expect_all_instances_right(dev, e, several_splits);
        }
}

// Images of 900 MB, of which the last begins beyond 2^31 elements, and the windows reach some pixels each; a tile touches two of them.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    const std::int64_t length   = 900'000'000 / (8 * bytes_of(type));
    problem p                   = conv::problem{.spatial   = 1,
                                                .groups    = 1,
                                                .batch     = (std::int64_t(1) << 31) / (8 * length) + 2,
                                                .k         = 8,
                                                .c         = 8,
                                                .filter    = {1},
                                                .input     = {length},
                                                .stride    = {length / 300},
                                                .left_pad  = {0},
                                                .right_pad = {0}};
    p.type                      = type;
    const std::int64_t of_image = p.output(0), pixels = p.batch * of_image;
    const auto in_values = random_values(pixels * p.c, type, 1), wei_values = random_values(p.k * p.c, type, 2);
    std::vector<std::int64_t> reached;
    for(std::int64_t i = 0; i < pixels; ++i)
        reached.push_back((i / of_image * p.input[0] + i % of_image * p.stride[0]) * p.c);
    const auto in  = upload_rows(dev, type, conv::input_shape(p).elements(), reached, in_values);
    const auto wei = upload(dev, type, wei_values);
    const auto out = unwritten(dev, pixels * p.k * bytes_of(type));
    ASSERT_GT((p.batch - 1) * length * p.c, std::int64_t(1) << 31);

    const auto chosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    const auto workspace = dev.allocate(chosen->workspace_bytes);
    ASSERT_TRUE(run(dev, *chosen, {in.data(), wei.data(), nullptr, nullptr, out.data()}, workspace->data()));
    expect_product(download(dev, type, out), pixels, p.k, p.c, matrix(in_values, p.c),
                   transposed_matrix(wei_values, p.c), operation::tensor_list(p).back());
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p =
        conv::problem{.spatial = 2, .groups = 1, .batch = 1, .k = 16, .c = 12, .filter = {1, 3}, .input = {6, 6}};
    config c        = instances<operation>(dev).front()->configuration;
    c.spatial       = 2;
    c.vector        = {.out = 8, .in = 8, .wei = 8};
    p.type          = c.dtype();
    c.tile.pipeline = gemm::pipeline::wave_specialized_boxes;
    EXPECT_EQ(reason_of<operation>(c, p),
              "boxes have 64 channels of one tap, but C is 16: choose an instance of pipeline wave_specialized");
    c.tile.pipeline = gemm::pipeline::single_buffer;
    EXPECT_TRUE(operation::supports(c, p));
    p.c = 1;
    EXPECT_TRUE(operation::supports(c, p)); // unfolded
    p.filter = {3, 1};
    EXPECT_EQ(reason_of<operation>(c, p), "C per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.k = 1, p.c = 16;
    EXPECT_EQ(reason_of<operation>(c, p), "K per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.k      = 16;
    p.filter = {20, 11}, p.input = {20, 20};
    EXPECT_EQ(reason_of<operation>(c, p), "filter lengths must add up to 30 at most for vectors, but are 31: choose an "
                                          "instance of vector width 1");
    p.spatial = 1, p.filter = {30}, p.input = {40};
    EXPECT_EQ(reason_of<operation>(c, p), "filter lengths must add up to 29 at most for vectors, but are 30: choose an "
                                          "instance of 1 spatial dimension, or of vector width 1");
    c.spatial = 1;
    EXPECT_TRUE(operation::supports(c, p));
    p.spatial = 2, p.filter = {3, 3}, p.input = {20, 20};
    EXPECT_EQ(reason_of<operation>(c, p),
              "the instance has 1 spatial dimensions, the problem 2: choose one with as many");
    c.tile.epilogue = gemm::epilogue::through_lds;
    EXPECT_EQ(
        reflect::describe(conv::check_rows(2, conv::gemm_rows::channels, c.tile)),
        "channels as rows are stored transposed, which by_wave does alone, but one is through_lds: use by_wave, or "
        "pixels as rows");
    EXPECT_EQ(reflect::describe(conv::check_rows(0, conv::gemm_rows::pixels, c.tile)),
              "a pointwise instance has pixels as columns, but one is pixels: use channels as rows");
    EXPECT_EQ(conv::check_pointwise(0, 2).reason(),
              "the instance is pointwise and does not split the reduction, and split-k is 2: choose 1 or auto");
    c.spatial = 0;
    EXPECT_EQ(
        reason_of<operation>(c, p),
        "the instance has pixels as columns, which nhwgc does not have side by side: choose one of 1 to 3 spatial "
        "dimensions, or ngchw");
    p.layout = conv::layout::ngchw;
    EXPECT_EQ(
        reason_of<operation>(c, p),
        "the instance is pointwise, and the problem has a filter or stride other than 1, or pads: choose one of 1 "
        "to 3 spatial dimensions");
    problem pointwise(conv::pointwise_problem());
    pointwise.type  = c.dtype();
    pointwise.input = {3, 5};
    EXPECT_EQ(reason_of<operation>(c, pointwise),
              "pixels of an image must be a multiple of 8 to be moved so many at a time, but there are 15: choose an "
              "instance of 1 to 3 spatial dimensions");
    pointwise.input = {3, 8}, pointwise.c = 9;
    EXPECT_EQ(reason_of<operation>(c, pointwise),
              "C must be a multiple of 8 to be moved so many at a time, but there are 9: choose an instance of 1 to 3 "
              "spatial dimensions");
    p.layout           = conv::layout::nhwgc;
    p.type             = type;
    const auto planned = make_plan<operation>(dev, p, {.splits = 1000});
    EXPECT_NE(planned.reason().find("split-k 1000 is more than the "), std::string::npos) << planned.reason();
}

// Images of a result that fits a view, but not as fp32.
TEST_P(Kernel, PartialSumsFitAView)
{
    problem p = conv::problem{.spatial   = 1,
                              .groups    = 1,
                              .batch     = 1,
                              .k         = 24,
                              .c         = 16,
                              .filter    = {9},
                              .input     = {25'000'000},
                              .left_pad  = {4},
                              .right_pad = {4}};
    p.type    = type;
    if(bytes_of(type) == 4)
        p.input = {12'000'000};
    const bool fits     = bytes_of(type) == 4;
    const auto two      = make_plan<operation>(dev, p, {.splits = 2});
    const auto unchosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(unchosen) << unchosen.reason();
    EXPECT_EQ(unchosen->splits, 1);
    ASSERT_EQ(static_cast<bool>(two), fits);
    if(!fits)
        EXPECT_NE(
            two.reason().find("split-k 2 needs partial sums of whole images, and those that a tile touches span more "
                              "than the 2147483647 bytes that a view can: choose 1, or auto"),
            std::string::npos)
            << two.reason();
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_fwd
