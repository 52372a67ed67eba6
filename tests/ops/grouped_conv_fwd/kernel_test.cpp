// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
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
{
  protected:
    void expect_all_instances_right(problem p, std::uint32_t seed = 0)
    {
        p.type = type;
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p, seed), several_splits);
    }
};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(20);
    for(std::uint32_t i = 0; i < 24 && !HasFatalFailure(); ++i)
        expect_all_instances_right(conv::random_problem(random), i);
}

TEST_P(Kernel, AgreesWithTheReferenceOnAwkwardProblems)
{
    for(const auto& [name, awkward] : conv::awkward_problems())
    {
        SCOPED_TRACE(name);
        expect_all_instances_right(awkward);
    }
}

TEST_P(Kernel, PaddingUnevenEvenFilterDilatedStrided)
{
    for(const conv::problem& p : conv::in_all_layouts(conv::uneven_problem()))
        expect_all_instances_right(p);
}

TEST_P(Kernel, SameBitsOnEveryRun)
{
    problem p =
        conv::problem{.spatial = 2, .groups = 2, .batch = 3, .k = 40, .c = 48, .filter = {3, 3}, .input = {12, 12}};
    p.type = type;
    expect_same_bits<operation>(dev, experiment<operation>(p),
                                [](const config&, const problem&) { return std::vector{1, 3}; });
}

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
    EXPECT_EQ(
        reason_of<operation>(c, p),
        "C per group = 12 is not a multiple of the vector width 8: choose an instance with a narrower vector, or pad");
    c.vector.in = 4;
    EXPECT_EQ(reason_of<operation>(c, p),
              "filter taps x C per group = 36 is not a multiple of the vector width 8: choose "
              "an instance with a narrower vector, or pad");
    p.k = 12, p.c = 16;
    EXPECT_EQ(
        reason_of<operation>(c, p),
        "K per group = 12 is not a multiple of the vector width 8: choose an instance with a narrower vector, or pad");
    p.k      = 16;
    p.filter = {20, 11}, p.input = {20, 20};
    EXPECT_EQ(reason_of<operation>(c, p), "filter lengths must add up to 30 at most for vectors, but are 31: choose an "
                                          "instance of vector width 1");
    p.filter = {3, 3}, c.spatial = 1;
    EXPECT_EQ(reason_of<operation>(c, p),
              "the instance has 1 spatial dimensions, the problem 2: choose one with as many");
    p.type             = type;
    const auto planned = make_plan<operation>(dev, p, {.splits = 1000});
    EXPECT_NE(planned.reason().find("split-k 1000 is more than the "), std::string::npos) << planned.reason();
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 12; ++i)
    {
        problem p = conv::random_problem(random);
        p.type    = type;
        const experiment<operation> e(p, i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_fwd
