// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/groupnorm_fwd/operation.hpp"
#include "tests/ops/groupnorm/fixture.hpp"

#include <tuple>

namespace ck_tile::groupnorm_fwd
{
namespace
{

using groupnorm::both_layouts;
using groupnorm::layout;

class Kernel : public groupnorm::pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(30); }

TEST_P(Kernel, EveryInstanceRuns) { expect_every_instance_runs(); }

// Groups that fill the largest clusters, and such that do not fit any.
TEST_P(Kernel, LargeGroups)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, pixels] : {std::tuple{4, 10, 4096}, {2, 16, 1000}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(groupnorm::problem{
                    .spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, FewChannelsAndOneByOneImages)
{
    for(layout order : both_layouts)
        for(const int c : {1, 3, 24})
            for(const int side : {1, 7})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        groupnorm::problem{.batch = 2, .image = {side, side}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatch)
{
    for(layout order : both_layouts)
        expect_all_instances_right(groupnorm::problem{.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// A mean of 1000 standard deviations: the variance is summed of distances from it.
TEST_P(Kernel, LargeMean)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, side] : {std::tuple{4, 8, 16}, {2, 3, 5}, {2, 8, 64}})
            expect_all_instances_right(
                groupnorm::problem{.batch = 2, .image = {side, side}, .groups = groups, .c = c, .layout = order},
                {.seed = 3, .mean = 1000});
}

// With all elements alike, the variance is 0 and epsilon alone decides.
TEST_P(Kernel, EpsilonIsTheProblems)
{
    for(const float epsilon : {1e-5f, 0.25f})
    {
        auto e = groupnorm::experiment_with<operation>(
            {{.batch = 2, .image = {4, 4}, .groups = 2, .c = 8, .type = type}, epsilon});
        e.set["x"].set_values(std::vector<float>(static_cast<std::size_t>(e.set["x"].shape.elements()), 3.f));
        expect_all_instances_right(e);
        EXPECT_NEAR(e.expected()[2].values[0], 1 / std::sqrt(epsilon), 1e-5 / std::sqrt(epsilon));
    }
}

TEST_P(Kernel, ParametersAbsent)
{
    for(layout order : both_layouts)
        for(const auto& absent : {std::vector<const char*>{"gamma"}, {"beta"}, {"gamma", "beta"}})
            expect_all_instances_right(groupnorm::problem{.batch = 2, .groups = 4, .c = 6, .layout = order},
                                       {.seed = 1, .absent = absent});
}

TEST_P(Kernel, SameBitsOnEveryRun) { expect_same_bits(); }

TEST_P(Kernel, NaNsAndInfinitiesStayInTheirGroup) { expect_poison_stays({"x"}); }

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(layout order : both_layouts)
    {
        const problem p =
            groupnorm::problem{.batch = 1, .image = {32, 32}, .groups = 4, .c = 16, .type = type, .layout = order};
        expect_last_image_right<operation>(dev, groupnorm::experiment_with<operation>(p, {.seed = 5}), "x");
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference) { expect_reference_kernel_right(10, {"gamma", "beta"}); }

TEST_P(Kernel, RejectionsSayWhy)
{
    const auto reason = [&](const problem& p) {
        const auto chosen = make_plan<operation>(dev, p);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    const groupnorm::problem p = {.batch = 1, .image = {5, 5}, .groups = 3, .c = 5, .type = type};
    EXPECT_EQ(reason(p), "accepted");
    EXPECT_EQ(reason({p, 0.f}), "accepted");
    EXPECT_EQ(reason({p, -1.f}), "epsilon must be zero or positive and finite, but is -1: choose 1e-5, say");
    EXPECT_EQ(reason({p, NAN}), "epsilon must be zero or positive and finite, but is nan: choose 1e-5, say");
    EXPECT_EQ(reason(groupnorm::problem{.groups = 0, .type = type}), "G must be positive, but is 0: choose 1 or more");
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::groupnorm_fwd
