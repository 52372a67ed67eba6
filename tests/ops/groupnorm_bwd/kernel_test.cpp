// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/groupnorm_bwd/operation.hpp"
#include "tests/ops/groupnorm/fixture.hpp"

#include <tuple>

namespace ck_tile::groupnorm_bwd
{
namespace
{

using groupnorm::both_layouts;
using groupnorm::layout;

class Kernel : public groupnorm::pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(40); }

// Groups that fill the largest clusters, and such that do not fit any.
TEST_P(Kernel, LargeGroups)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, pixels] :
            {std::tuple{4, 10, 4096}, {4, 10, 512}, {2, 16, 1000}, {3, 40, 256}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(groupnorm::problem{
                    .spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, EveryInstanceRuns) { expect_every_instance_runs(); }

TEST_P(Kernel, FewChannelsPerGroup)
{
    for(layout order : both_layouts)
        for(const int c : {1, 3, 5})
            for(const int groups : {1, 3, 8})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        groupnorm::problem{.batch = 2, .image = {7, 9}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, OneByOneImages)
{
    for(layout order : both_layouts)
        for(const int c : {1, 24, 100})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    groupnorm::problem{.batch = 5, .image = {1, 1}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, ManyChannels)
{
    for(layout order : both_layouts)
        for(const int c : {3, 400})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    groupnorm::problem{.batch = 1, .image = {4, 4}, .groups = 1200 / c + 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatchGivesZeros)
{
    for(layout order : both_layouts)
        expect_all_instances_right(groupnorm::problem{.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// Sums are centred: a mean of 1000 standard deviations costs nothing but the rounding of x.
TEST_P(Kernel, LargeMean)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c] : {std::pair{4, 8}, {2, 3}})
            expect_all_instances_right(
                groupnorm::problem{.batch = 2, .image = {16, 8}, .groups = groups, .c = c, .layout = order},
                {.seed = 3, .mean = 1000});
}

// It is then all ones, for the kernels and for either verification.
TEST_P(Kernel, GammaAbsent)
{
    for(layout order : both_layouts)
    {
        const auto e = groupnorm::experiment_with<operation>(
            groupnorm::problem{.batch = 2, .groups = 4, .c = 6, .type = type, .layout = order},
            {.seed = 1, .absent = {"gamma"}});
        expect_all_instances_right(e);
        const auto chosen = make_plan<operation>(dev, e.problem);
        ASSERT_TRUE(chosen) << chosen.reason();
        const auto after = e.run_plan(dev, *chosen);
        for(const auto how : {harness::verification::cpu, harness::verification::reference_kernel})
            for(const harness::comparison& c : harness::verify<operation>(dev, how, e.problem, after))
                EXPECT_TRUE(c.passed()) << harness::describe(c, {c.elements}) << ", " << harness::describe(how);
    }
}

// Each combination of gradients; none that is not wanted is written, as its address is null. Each is what it is beside the others.
TEST_P(Kernel, EachOutputAbsent)
{
    for(layout order : both_layouts)
        for(int present = 1; present < 8; ++present)
        {
            const gradients wanted = {
                .dx = (present & 1) != 0, .dgamma = (present & 2) != 0, .dbeta = (present & 4) != 0};
            const problem p = {
                groupnorm::problem{.batch = 2, .image = {8, 8}, .groups = 2, .c = 8, .type = type, .layout = order},
                wanted};
            const auto e = groupnorm::experiment_with<operation>(p, {.seed = 4});
            EXPECT_EQ(e.expected().size(), std::size_t(wanted.dx + wanted.dgamma + wanted.dbeta));
            expect_all_instances_right(e);
            e.expect_right(e.run_reference_kernel(dev), "reference kernel");
        }
}

TEST_P(Kernel, SameBitsOnEveryRun) { expect_same_bits(); }

TEST_P(Kernel, NaNsAndInfinitiesStayInTheirGroup) { expect_poison_stays({"x", "dy", "inv_std"}); }

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(layout order : both_layouts)
    {
        const problem p = {
            groupnorm::problem{.batch = 1, .image = {32, 32}, .groups = 4, .c = 16, .type = type, .layout = order},
            {.dgamma = false, .dbeta = false}};
        expect_last_image_right<operation>(dev, groupnorm::experiment_with<operation>(p, {.seed = 5}), "x");
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference) { expect_reference_kernel_right(12, {"gamma"}); }

TEST_P(Kernel, RejectionsSayWhy)
{
    const auto reason = [&](const problem& p) {
        const auto chosen = make_plan<operation>(dev, p);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    const groupnorm::problem p = {.batch = 1, .image = {5, 5}, .groups = 3, .c = 5, .type = type};
    EXPECT_EQ(reason(p), "accepted");
    EXPECT_EQ(reason({p, {false, false, false}}), "no gradient is wanted: ask for dx, dgamma or dbeta");
    EXPECT_EQ(reason(groupnorm::problem{.batch = -1, .type = type}),
              "N must be zero or positive, but is -1: choose 0 or more");
    groupnorm::config applies = instances<operation>(dev).front()->configuration;
    applies.dtype = type, applies.pass = groupnorm::pass::apply;
    EXPECT_EQ(reason_of<operation>(applies, {p, {.dx = false}}),
              "the pass makes dx, which is not wanted: choose one that makes sums");
    // A row of pixels, of all channels, of more than 2 GB.
    const std::string too_large =
        reason(groupnorm::problem{.batch = 1, .image = {4, 4}, .groups = 1 << 20, .c = 1024, .type = type});
    EXPECT_TRUE(too_large.starts_with("no instance supports the problem on " + dev.name() + ": ")) << too_large;
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::groupnorm_bwd
