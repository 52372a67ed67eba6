// SPDX-License-Identifier: MIT
// What is special about this direction; what it has in common with the others is in grouped_conv/direction_test.cpp.
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
    return p.filter_taps() * p.c >= 3 * c.tile.block.k ? std::vector{0, 1, 3} : std::vector{0, 1};
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

// Each part of y = activation(convolution + bias + residual) with each other, infinities and NaNs too.
TEST_P(Kernel, FinishesWithBiasResidualAndActivation)
{
    const auto problems = conv::in_all_layouts(
        {.spatial = 2, .groups = 2, .batch = 2, .k = 24, .c = 24, .filter = {2, 3}, .input = {6, 5}});
    std::size_t number = 0; // the layouts take turns
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

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p =
        conv::problem{.spatial = 2, .groups = 1, .batch = 1, .k = 16, .c = 12, .filter = {1, 3}, .input = {6, 6}};
    config c  = instances<operation>(dev).front()->configuration;
    c.spatial = 2;
    c.vector  = {.out = 8, .in = 8, .wei = 8};
    p.type    = c.dtype();
    EXPECT_TRUE(operation::supports(c, p));
    p.c = 1;
    EXPECT_EQ(reason_of<operation>(c, p), "C per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.k = 1, p.c = 16;
    EXPECT_EQ(reason_of<operation>(c, p), "K per group = 1 would be padded to 8, more than 4 times as many: choose an "
                                          "instance with a narrower vector");
    p.k      = 16;
    p.filter = {20, 11}, p.input = {20, 20};
    EXPECT_EQ(reason_of<operation>(c, p), "filter lengths must add up to 29 at most for vectors, but are 31: choose an "
                                          "instance of vector width 1");
    p.filter = {3, 3}, c.spatial = 1;
    EXPECT_EQ(reason_of<operation>(c, p),
              "the instance has 1 spatial dimensions, the problem 2: choose one with as many");
    p.type             = type;
    const auto planned = make_plan<operation>(dev, p, {.splits = 1000});
    EXPECT_NE(planned.reason().find("split-k 1000 is more than the "), std::string::npos) << planned.reason();
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_fwd
