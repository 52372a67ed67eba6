// SPDX-License-Identifier: MIT
// What is special about this direction; what it has in common with the others is in grouped_conv/direction_test.cpp.
#include "ops/grouped_conv_bwd_data/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>

namespace ck_tile::grouped_conv_bwd_data
{
namespace
{

using problem = operation::problem;

// The instance's own choice, one split, and where there is so much to split, three.
std::vector<int> several_splits(const config& c, const problem& p)
{
    return !c.is_pointwise() && p.k >= 3 * c.tile.block.k ? std::vector{0, 1, 3} : std::vector{0, 1};
}

class Kernel : public kernel_test
{};

// A NaN in the output's gradient reaches the inputs under its window, in all input channels, and no other.
TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    problem p = {
        .spatial = 2, .groups = 1, .batch = 1, .k = 8, .c = 8, .filter = {3, 3}, .input = {6, 6}, .stride = {2, 2}};
    p.type = type;
    experiment<operation> e(p);
    std::vector<float> out = e.set["out"].values();
    out[0]                 = NAN; // pixel (0, 0), channel 0
    e.set["out"].set_values(out);
    ck_tile::expect_all_instances_right(dev, e, several_splits);
    const auto& right = e.expected()[0].values;
    EXPECT_EQ(std::count_if(right.begin(), right.end(), [](double v) { return std::isnan(v); }), 8 * 4);
}

// Of images of 900 MB, of which the last begins beyond 2^31 elements, nearly all windows lie in the padding: 300 pixels of each count; a
// tile touches two of them.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    const std::int64_t of_image = 300, length = 900'000'000 / (8 * bytes_of(type)), before = length / 3 * 2;
    problem p                 = {.spatial   = 1,
                                 .groups    = 1,
                                 .batch     = (std::int64_t(1) << 31) / (8 * length) + 2,
                                 .k         = 8,
                                 .c         = 8,
                                 .filter    = {1},
                                 .input     = {of_image},
                                 .stride    = {1},
                                 .left_pad  = {before},
                                 .right_pad = {length - before - of_image}};
    p.type                    = type;
    const std::int64_t pixels = p.batch * of_image;
    ASSERT_EQ(p.output(0), length);
    const auto out_values = random_values(pixels * p.k, type, 1), wei_values = random_values(p.k * p.c, type, 2);
    std::vector<std::int64_t> reached;
    for(std::int64_t i = 0; i < pixels; ++i)
        reached.push_back((i / of_image * length + before + i % of_image) * p.k);
    const auto out = upload_rows(dev, type, conv::output_shape(p).elements(), reached, out_values);
    const auto wei = upload(dev, type, wei_values);
    const auto in  = unwritten(dev, pixels * p.c * bytes_of(type));
    ASSERT_GT((p.batch - 1) * length * p.k, std::int64_t(1) << 31);

    const auto chosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    const auto workspace = dev.allocate(chosen->workspace_bytes);
    ASSERT_TRUE(run(dev, *chosen, {out.data(), wei.data(), in.data()}, workspace->data()));
    expect_product(download(dev, type, in), pixels, p.c, p.k, matrix(out_values, p.k), matrix(wei_values, p.c),
                   operation::tensor_list(p).back());
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p = {.spatial = 2, .groups = 1, .batch = 1, .k = 12, .c = 16, .filter = {3, 3}, .input = {6, 6}};
    config c  = instances<operation>(dev).front()->configuration;
    c.spatial = 2;
    c.vector  = {.out = 8, .in = 4, .wei = 8};
    p.type    = c.dtype();
    p.k       = 1;
    EXPECT_EQ(reason_of<operation>(c, p), "K per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.k = 16, p.c = 1;
    EXPECT_EQ(reason_of<operation>(c, p), "C per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.c       = 16;
    p.spatial = 1;
    p.stride = {70'000}, p.dilation = {40'000}, p.filter = {1};
    EXPECT_EQ(reason_of<operation>(c, p), "the padded input and the stride must add up to 2147483647 at most, and so "
                                          "must stride and dilation multiply, but in a "
                                          "dimension it is 2800000000: choose smaller ones");
    p.stride = {5}, p.dilation = {1}, p.k = p.c = 64;
    c.tile.pipeline = gemm::pipeline::wave_specialized_boxes;
    EXPECT_EQ(reason_of<operation>(c, p), "boxes are of 4 classes of inputs at most, but strides make 5: choose an "
                                          "instance of pipeline wave_specialized");
    p.k = 16, p.c = 16;
    EXPECT_EQ(reason_of<operation>(c, p), "boxes have 64 channels of one tap, but C is 16: choose an instance of "
                                          "pipeline wave_specialized");
    p.stride = {1}, p.type = type;
    EXPECT_NE(make_plan<operation>(dev, p, {.splits = 1000}).reason().find("split-k 1000 is more than the "),
              std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_bwd_data
