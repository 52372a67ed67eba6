// SPDX-License-Identifier: MIT
// What is special about this direction; what it has in common with the others is in grouped_conv/direction_test.cpp.
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

// The instance's own choice, one split, and where there is so much to split and the instance can, three.
std::vector<int> several_splits(const config& c, const conv::problem& p)
{
    if(c.split == split_k::any_split && p.batch * p.output_pixels() >= 3)
        return {0, 1, 3};
    return {0, 1};
}

class Kernel : public kernel_test
{};

TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    conv::problem p = {.spatial = 2, .groups = 1, .batch = 1, .k = 8, .c = 8, .filter = {3, 3}, .input = {6, 6}};
    p.type          = type;
    experiment<operation> e(p);
    std::vector<float> in = e.set["in"].values();
    in[0]                 = NAN; // pixel (0, 0), channel 0: under the taps whose window reaches the corner
    e.set["in"].set_values(in);
    ck_tile::expect_all_instances_right(dev, e, several_splits);
    const auto is_nan = [](double v) { return std::isnan(v); };
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), is_nan), 8 * 4); // for each k, four taps
}

// Of the last row of tiles of 128 channels some waves have none, and of one of 64 no wave has: it is made last.
TEST_P(Kernel, RowsOfTilesThatAreShort)
{
    for(const std::int64_t k : {32, 160, 320})
    {
        const conv::problem p = {
            .spatial = 2, .groups = 2, .batch = 2, .k = k, .c = 40, .filter = {3, 3}, .input = {6, 5}, .type = type};
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p), several_splits);
    }
}

// Splits are whole steps of boxes: the last ones of many have nothing.
TEST_P(Kernel, MoreSplitsThanSteps)
{
    const conv::problem p = {
        .spatial = 2, .groups = 1, .batch = 3, .k = 64, .c = 64, .filter = {3, 3}, .input = {7, 6}, .type = type};
    ck_tile::expect_all_instances_right(dev, experiment<operation>(p), [](const config& c, const conv::problem&) {
        return c.split == split_k::any_split ? std::vector{2, 17} : std::vector{1};
    });
}

// Six images of 960 MB (fp16, bf16) or 1.9 GB (fp32), of which the windows reach three pixels each, and the last begins beyond 2^31
// elements. Memory that is never touched costs nothing.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    conv::problem p           = {.spatial   = 1,
                                 .groups    = 1,
                                 .batch     = 6,
                                 .k         = 8,
                                 .c         = 8,
                                 .filter    = {1},
                                 .input     = {60'000'000},
                                 .stride    = {25'000'000},
                                 .left_pad  = {0},
                                 .right_pad = {0}};
    p.type                    = type;
    const std::int64_t pixels = p.output(0);
    const std::size_t element = static_cast<std::size_t>(bytes_of(type));
    ASSERT_EQ(pixels, 3);
    ASSERT_GT((p.batch - 1) * p.input[0] * p.c, std::int64_t(1) << 31);

    const auto values     = random_values(p.batch * pixels * p.c, type, 1);
    const auto out_values = random_values(p.batch * pixels * p.k, type, 2);
    std::vector<std::int64_t> reached;
    for(std::int64_t i = 0; i < p.batch * pixels; ++i)
        reached.push_back((i / pixels * p.input[0] + i % pixels * p.stride[0]) * p.c);
    const auto in  = upload_rows(dev, type, conv::input_shape(p).elements(), reached, values);
    const auto out = upload(dev, type, out_values);
    const auto wei = dev.allocate(static_cast<std::size_t>(p.k * p.c) * element);

    const auto chosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    EXPECT_EQ(chosen->splits, 6);
    const auto workspace = dev.allocate(chosen->workspace_bytes);
    ASSERT_TRUE(run(dev, *chosen, {in.data(), out.data(), wei->data()}, workspace->data()));
    expect_product(download(dev, type, *wei), p.k, p.c, p.batch * pixels, transposed_matrix(out_values, p.k),
                   matrix(values, p.c), operation::tensor_list(p).back());

    const auto too_few = make_plan<operation>(dev, p, {.splits = 1});
    ASSERT_FALSE(too_few);
    EXPECT_NE(too_few.reason().find("choose at least 6, or auto"), std::string::npos) << too_few.reason();
}

// Long sums of few weights are shared among threads, in splits that do not end with images, nor alike.
TEST_P(Kernel, ReferenceKernelSplitsLongSums)
{
    for(const auto layout : {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw})
    {
        conv::problem p = {
            .spatial = 2, .groups = 2, .batch = 7, .k = 3, .c = 2, .filter = {3, 3}, .input = {31, 29}, .type = type};
        p.layout = layout;
        EXPECT_EQ(operation::reference_workspace_bytes(p), 6 * conv::weight_shape(p).elements() * sizeof(float));
        const experiment<operation> e(p);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    conv::problem p = {.spatial = 2, .groups = 1, .batch = 1, .k = 12, .c = 16, .filter = {3, 3}, .input = {6, 6}};
    p.type          = type;
    EXPECT_EQ(make_plan<operation>(dev, p, {.splits = 37}).reason(),
              "no instance supports the problem on " + dev.name() +
                  ": split-k 37 is more than the 36 pixels that there are to split: choose fewer");
    config c  = instances<operation>(dev).front()->configuration;
    c.spatial = 2;
    c.vector  = {.out = 8, .in = 8, .wei = 8};
    p.type    = c.dtype();
    p.k       = 1;
    EXPECT_EQ(reason_of<operation>(c, p), "K per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    c.tile.pipeline = gemm::pipeline::wave_specialized_boxes, c.split = split_k::any_split;
    p.k = p.c = 64, p.batch = std::int64_t(1) << 30;
    EXPECT_EQ(
        reason_of<operation>(c, p),
        "the pixels of all images must be 2147483647 at most, as boxes are counted, and the bytes of one half of that, "
        "but there are 38654705664 pixels of 1073741824 images: choose an instance of pipeline wave_specialized");
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight
