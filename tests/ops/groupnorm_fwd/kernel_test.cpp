// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/groupnorm_fwd/instance.hpp"
#include "tests/ops/groupnorm_fwd/fixture.hpp"

#include <limits>
#include <set>
#include <tuple>

namespace ck_tile::groupnorm_fwd
{
namespace
{

using groupnorm::layout;
using groupnorm::random_problem;

constexpr layout both_layouts[] = {layout::nhwgc, layout::ngchw};

class Kernel : public kernel_test
{
  protected:
    std::set<std::string> used = {}; // instances that some problem ran on

    // The plans that run the problem on each instance that supports it.
    std::vector<plan> all_plans(const groupnorm::problem& p)
    {
        std::vector<plan> found;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, p))
                continue;
            const auto chosen = make_plan(on, p, name_of(*i));
            EXPECT_TRUE(chosen) << chosen.reason() << "; " << groupnorm::describe(p);
            if(chosen)
                found.push_back(*chosen);
            used.insert(name_of(*i));
        }
        EXPECT_FALSE(found.empty()) << "no instance supports " << groupnorm::describe(p);
        return found;
    }

    void expect_all_instances_right(const experiment& e)
    {
        const auto right = e.expected();
        for(const plan& each : all_plans(e.problem))
            if(!HasFatalFailure())
                e.expect_matches(right, e.run_plan(on, each), describe(each));
    }

    void expect_all_instances_right(groupnorm::problem p, std::uint32_t seed = 0)
    {
        p.type = type;
        expect_all_instances_right(experiment(p, seed));
    }
};

// What would take the CPU too long.
class OnGpu : public Kernel
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(30);
    for(std::uint32_t i = 0; i < 30 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

TEST_P(Kernel, EveryInstanceRuns)
{
    for(layout order : both_layouts)
        expect_all_instances_right({.spatial = 1, .batch = 2, .image = {64}, .groups = 2, .c = 8, .layout = order});
    for(const instance* i : instances(on))
        if(i->configuration.dtype == type)
            EXPECT_TRUE(used.contains(name_of(*i))) << name_of(*i);
}

// Groups that fill the largest blocks of several units, and such that do not fit any.
TEST_P(Kernel, LargeGroups)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, pixels] : {std::tuple{4, 10, 4096}, {2, 16, 1000}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, FewChannelsAndOneByOneImages)
{
    for(layout order : both_layouts)
        for(const int c : {1, 3, 24})
            for(const int side : {1, 7})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        {.batch = 2, .image = {side, side}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatch)
{
    for(layout order : both_layouts)
        expect_all_instances_right({.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// A mean of 1000 standard deviations: the variance is summed of distances from it.
TEST_P(Kernel, LargeMean)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, side] : {std::tuple{4, 8, 16}, {2, 3, 5}, {2, 8, 64}})
            expect_all_instances_right(
                experiment({.batch = 2, .image = {side, side}, .groups = groups, .c = c, .type = type, .layout = order},
                           3, true, 1000.f));
}

TEST_P(Kernel, ParametersAbsent)
{
    for(layout order : both_layouts)
        expect_all_instances_right(
            experiment({.batch = 2, .groups = 4, .c = 6, .type = type, .layout = order}, 1, false));
}

TEST_P(Kernel, SameBitsOnEveryRun)
{
    for(layout order : both_layouts)
    {
        const experiment e({.batch = 3, .image = {32, 40}, .groups = 4, .c = 24, .type = type, .layout = order}, 7);
        for(const plan& each : all_plans(e.problem))
            EXPECT_TRUE(e.run_plan(on, each) == e.run_plan(on, each)) << describe(each);
    }
}

// What is no number in one group reaches the results of that group; nothing else.
TEST_P(Kernel, NaNsAndInfinitiesStayInTheirGroup)
{
    for(layout order : both_layouts)
        for(const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        {
            experiment e({.batch = 2, .image = {6, 4}, .groups = 3, .c = 8, .type = type, .layout = order}, 9);
            e.x[0] = poison; // of image 0, group 0
            expect_all_instances_right(e);
        }
}

// 2.2 GB in and out. Only the last image is looked at; the others are zero.
TEST_P(OnGpu, BatchesBeyondTwoGigabytes)
{
    for(layout order : both_layouts)
    {
        const experiment e({.batch = 1, .image = {32, 32}, .groups = 4, .c = 16, .type = type, .layout = order}, 5);
        const auto bytes       = encode(type, e.x);
        groupnorm::problem all = e.problem;
        all.batch              = static_cast<std::int64_t>(2'200'000'000 / bytes.size());
        const auto image       = static_cast<std::size_t>(all.batch - 1);
        const auto groups      = static_cast<std::size_t>(e.problem.groups);
        const auto statistics  = static_cast<std::int64_t>(statistic_shape(all).elements() * 4);
        auto x = on.allocate_zeroed((image + 1) * bytes.size()), y = on.allocate_zeroed((image + 1) * bytes.size());
        ASSERT_TRUE(x && y);
        ASSERT_TRUE(
            on.copy_to_device(static_cast<std::byte*>(x->data()) + image * bytes.size(), bytes.data(), bytes.size()));
        const auto gamma = upload(on, type, e.gamma), beta = upload(on, type, e.beta);
        const auto mean = unwritten(on, statistics), inv_std = unwritten(on, statistics);
        const auto last = [&](const device_buffer& memory, data_type of, std::size_t elements) {
            std::vector<std::byte> found(elements * static_cast<std::size_t>(bytes_of(of)));
            EXPECT_TRUE(on.copy_to_host(found.data(), static_cast<std::byte*>(memory.data()) + image * found.size(),
                                        found.size()));
            return decode(of, found);
        };
        for(const plan& each : all_plans(all))
        {
            const auto workspace = unwritten(on, static_cast<std::int64_t>(each.workspace_bytes));
            const status s = run(on, all, each,
                                 {x->data(), gamma.data(), beta.data(), y->data(), static_cast<float*>(mean.data()),
                                  static_cast<float*>(inv_std.data())},
                                 epsilon, workspace.data());
            ASSERT_TRUE(s) << s.reason();
            ASSERT_TRUE(on.synchronize());
            e.expect_matches(e.expected(),
                             {last(*y, type, e.x.size()), last(mean, data_type::fp32, groups),
                              last(inv_std, data_type::fp32, groups)},
                             describe(each));
        }
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(6);
    for(std::uint32_t i = 0; i < 10; ++i)
    {
        groupnorm::problem p = random_problem(random);
        p.type               = type;
        const experiment e(p, i, i % 3 != 0);
        e.expect_matches(e.expected(), e.run(on, [&](const tensors& t) { return run_reference(on, p, t, epsilon); }),
                         "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    const groupnorm::problem p = {.batch = 1, .image = {5, 5}, .groups = 3, .c = 5, .type = type};
    const auto reason          = [&](const groupnorm::problem& of, std::string_view name) {
        const auto chosen = make_plan(on, of, name);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    EXPECT_EQ(reason(p, ""), "accepted");
    EXPECT_EQ(reason(p, "none"), "instance 'none' is not one of " + on.name() + ": --instance list shows them");
    EXPECT_EQ(reason({.groups = 0, .type = type}, ""), "G must be positive, but is 0: choose 1 or more");
    for(const instance* i : instances(on))
        if(const status s = supports(*i, p); !s)
            EXPECT_EQ(reason(p, name_of(*i)), name_of(*i) + " on " + on.name() + ": " + s.reason());
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, every_type_on(kernel_targets()), name_of_parameter);
INSTANTIATE_TEST_SUITE_P(Targets, OnGpu, every_type_on(gpu_targets()), name_of_parameter);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnGpu);

} // namespace
} // namespace ck_tile::groupnorm_fwd
