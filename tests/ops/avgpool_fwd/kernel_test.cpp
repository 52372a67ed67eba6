// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/avgpool_fwd/operation.hpp"
#include "tests/ops/avgpool/fixture.hpp"

namespace ck_tile::avgpool_fwd
{
namespace
{

using namespace avgpool;
using operation = avgpool_fwd::operation;

class Kernel : public pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(); }

TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems<problem>())
    {
        p.input             = {31, 48};
        p.count_include_pad = p.ceil_mode;
        expect_all_instances_right(p, content::nans);
        if(HasFatalFailure())
            return;
    }
}

TEST_P(Kernel, WindowsOfAnyKind) { expect_right_on_awkward_problems(); }

TEST_P(Kernel, NumbersAsLargeAsTheyCanBe) { expect_right_on_extreme_problems(); }

TEST_P(Kernel, SameBitsOnEveryRun)
{
    for(problem p : known_problems<problem>())
    {
        p.type = type;
        expect_same_bits<operation>(dev, experiment_with<operation>(p, content::distinct, 4));
    }
}

// The mean of equal numbers is that number, in fp32 too: 49 products with 1 / 49 would not be.
TEST_P(Kernel, MeansOfEqualNumbersAreExact)
{
    for(const layout order : {layout::nhwc, layout::nchw})
        for(const std::int64_t window : {3, 5, 7})
        {
            problem p = {{.batch = 2, .channels = 8, .input = {14, 14}, .type = type, .layout = order}, false};
            p.window = {window, window}, p.left_pad = p.right_pad = {window / 2, window / 2};
            const experiment<operation> e(p, 0, [](harness::tensor_set& set) {
                set["in"].set_values(std::vector<float>(static_cast<std::size_t>(set["in"].shape.elements()), 3.f));
            });
            for(const plan<operation>& each : all_plans<operation>(dev, p))
                for(const float mean : e.run_plan(dev, each)["out"].values())
                    ASSERT_EQ(mean, 3.f) << describe_plan(each);
        }
}

// Sums may be larger than the type holds, where means are not.
TEST_P(Kernel, SumsBeyondTheType)
{
    problem p = {{.channels = 8, .window = {4, 4}, .input = {9, 9}, .type = type}};
    const experiment<operation> e(p, 0, [](harness::tensor_set& set) {
        set["in"].set_values(std::vector<float>(static_cast<std::size_t>(set["in"].shape.elements()), 60000.f));
    });
    ck_tile::expect_all_instances_right<operation>(dev, e);
    EXPECT_NEAR(e.expected()[0].values[0], 60000, 300); // bf16 has 8 bits
}

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(const layout order : {layout::nhwc, layout::nchw})
    {
        const problem p = {{.channels = 8, .input = {32, 32}, .type = type, .layout = order}};
        expect_last_image_right<operation>(dev, experiment_with<operation>(p, content::distinct, 6), "in");
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(6);
    for(std::uint32_t i = 0; i < 30; ++i)
    {
        problem p    = random_problem(random);
        p.type       = type;
        const auto e = experiment_with<operation>(p, static_cast<content>(i % 4), i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p         = {{.batch = 1, .channels = 13, .input = {6, 6}, .type = type}};
    const auto reason = [&](int vector = 1) {
        return reason_of<operation>(
            {.arch = dev.architecture().arch, .dtype = type, .layout = layout::nhwc, .vector = vector}, p);
    };
    EXPECT_EQ(reason(2),
              "C = 13 is not a multiple of the vector width 2: choose an instance with a narrower vector, or "
              "pad the channels");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(), "the instance has layout nhwc, the problem nchw");
    p.layout = layout::nhwc;
    p.input = {30000, 30000}, p.channels = 64;
    EXPECT_TRUE(reason().starts_with("one image spans")) << reason();
    const auto none = make_plan<operation>(dev, p);
    EXPECT_TRUE(none.reason().starts_with("no instance supports the problem on " + std::string(dev.name())))
        << none.reason();
    EXPECT_NE(none.reason().find(": one image spans"), std::string::npos) << none.reason();
    p.input = {15000, 15000}, p.channels = 1, p.batch = 100'000;
    EXPECT_TRUE(reason().starts_with("100000 images of")) << reason();
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::avgpool_fwd
