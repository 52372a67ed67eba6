// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/groupnorm_bwd/instance.hpp"
#include "tests/ops/groupnorm_bwd/fixture.hpp"

#include <limits>
#include <set>
#include <tuple>

namespace ck_tile::groupnorm_bwd
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

    // The plans that run the problem on each instance that supports it and has something to do for these outputs.
    std::vector<plan> all_plans(const groupnorm::problem& p, const wanted& outputs = {})
    {
        std::vector<plan> found;
        for(const instance* i : instances(on))
        {
            const pass does = i->configuration.pass;
            if(!supports(*i, p) || (!outputs.dx && does != pass::sums))
                continue;
            const auto chosen = make_plan(on, p, outputs, name_of(*i));
            EXPECT_TRUE(chosen) << chosen.reason() << "; " << groupnorm::describe(p);
            if(chosen)
                found.push_back(*chosen);
            used.insert(name_of(*i));
        }
        EXPECT_FALSE(found.empty()) << "no instance supports " << groupnorm::describe(p);
        return found;
    }

    void expect_all_instances_right(const experiment& e, const wanted& outputs = {})
    {
        const auto right = e.expected();
        for(const plan& each : all_plans(e.problem, outputs))
            if(!HasFatalFailure())
                e.expect_matches(right, e.run_plan(on, each), outputs, describe(each));
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
    random_numbers random(20);
    for(std::uint32_t i = 0; i < 40 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

// Groups that fill the largest blocks of several units, and such that do not fit any.
TEST_P(Kernel, LargeGroups)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c, pixels] :
            {std::tuple{4, 10, 4096}, {4, 10, 512}, {2, 16, 1000}, {3, 40, 256}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, EveryInstanceRuns)
{
    for(layout order : both_layouts)
        expect_all_instances_right({.spatial = 1, .batch = 2, .image = {64}, .groups = 2, .c = 8, .layout = order});
    for(const instance* i : instances(on))
        if(i->configuration.dtype == type)
            EXPECT_TRUE(used.contains(name_of(*i))) << name_of(*i);
}

TEST_P(Kernel, FewChannelsPerGroup)
{
    for(layout order : both_layouts)
        for(const int c : {1, 3, 5})
            for(const int groups : {1, 3, 8})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        {.batch = 2, .image = {7, 9}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, OneByOneImages)
{
    for(layout order : both_layouts)
        for(const int c : {1, 24, 100})
            if(!HasFatalFailure())
                expect_all_instances_right({.batch = 5, .image = {1, 1}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, ManyChannels)
{
    for(layout order : both_layouts)
        for(const int c : {3, 400})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.batch = 1, .image = {4, 4}, .groups = 1200 / c + 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatchGivesZeros)
{
    for(layout order : both_layouts)
        expect_all_instances_right({.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// Sums are centred: a mean of 1000 standard deviations costs nothing but the rounding of x.
TEST_P(Kernel, LargeMean)
{
    for(layout order : both_layouts)
        for(const auto& [groups, c] : {std::pair{4, 8}, {2, 3}})
            expect_all_instances_right(
                experiment({.batch = 2, .image = {16, 8}, .groups = groups, .c = c, .type = type, .layout = order}, 3,
                           true, 1000.f));
}

TEST_P(Kernel, GammaAbsent)
{
    for(layout order : both_layouts)
        expect_all_instances_right(
            experiment({.batch = 2, .groups = 4, .c = 6, .type = type, .layout = order}, 1, false));
}

// Each combination of gradients; none that is not wanted is written, as its address is null.
TEST_P(Kernel, EachOutputAbsent)
{
    for(layout order : both_layouts)
        for(int present = 1; present < 8; ++present)
            expect_all_instances_right(
                experiment({.batch = 2, .image = {8, 8}, .groups = 2, .c = 8, .type = type, .layout = order}, 4),
                {.dx = (present & 1) != 0, .dgamma = (present & 2) != 0, .dbeta = (present & 4) != 0});
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

// What is no number in one group reaches the dx of that group, and the parameters of its channels; nothing else.
TEST_P(Kernel, NaNsAndInfinitiesStayInTheirGroup)
{
    for(layout order : both_layouts)
        for(const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
            for(std::vector<float> experiment::* tensor : {&experiment::x, &experiment::dy, &experiment::inv_std})
            {
                experiment e({.batch = 2, .image = {6, 4}, .groups = 3, .c = 8, .type = type, .layout = order}, 9);
                (e.*tensor)[0] = poison; // of image 0, group 0
                expect_all_instances_right(e);
            }
}

// Twice 2.2 GB in and once out. All but the last image is zero, so that this alone decides.
TEST_P(OnGpu, BatchesBeyondTwoGigabytes)
{
    for(layout order : both_layouts)
    {
        groupnorm::problem one  = {.batch = 1, .image = {32, 32}, .groups = 4, .c = 16, .type = type, .layout = order};
        groupnorm::problem all  = one;
        const std::size_t image = static_cast<std::size_t>(image_shape(one).elements() * bytes_of(type));
        all.batch               = static_cast<std::int64_t>(2'200'000'000 / image);
        const experiment e(one, 5);
        const std::size_t last = (static_cast<std::size_t>(all.batch) - 1) * image;
        const auto at_the_end  = [&](const std::vector<float>& values, data_type of, std::int64_t elements) {
            auto memory      = on.allocate_zeroed(static_cast<std::size_t>(elements * bytes_of(of)));
            const auto bytes = encode(of, values);
            EXPECT_TRUE(memory) << memory.reason();
            EXPECT_TRUE(on.copy_to_device(static_cast<std::byte*>(memory->data()) + memory->bytes() - bytes.size(),
                                          bytes.data(), bytes.size()));
            return std::move(*memory);
        };
        const std::int64_t elements = image_shape(all).elements(), groups = statistic_shape(all).elements();
        const auto x = at_the_end(e.x, type, elements), dy = at_the_end(e.dy, type, elements);
        const auto mean    = at_the_end(e.mean, data_type::fp32, groups);
        const auto inv_std = at_the_end(e.inv_std, data_type::fp32, groups);
        const auto gamma   = upload(on, type, e.gamma);
        const auto dgamma = unwritten(on, gamma.bytes()), dbeta = unwritten(on, gamma.bytes());
        auto dx = on.allocate_zeroed(x.bytes());
        ASSERT_TRUE(dx) << dx.reason();
        for(const plan& each : all_plans(all))
        {
            const auto workspace = unwritten(on, static_cast<std::int64_t>(each.workspace_bytes));
            const status s = run(on, all, each,
                                 {x.data(), dy.data(), gamma.data(), static_cast<const float*>(mean.data()),
                                  static_cast<const float*>(inv_std.data()), dx->data(), dgamma.data(), dbeta.data()},
                                 workspace.data());
            ASSERT_TRUE(s) << s.reason();
            ASSERT_TRUE(on.synchronize());
            std::vector<std::byte> bytes(image);
            ASSERT_TRUE(on.copy_to_host(bytes.data(), static_cast<std::byte*>(dx->data()) + last, image));
            e.expect_matches(e.expected(), {decode(type, bytes), download(on, type, dgamma), download(on, type, dbeta)},
                             {}, describe(each));
        }
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 12; ++i)
    {
        groupnorm::problem p = random_problem(random);
        p.type               = type;
        const experiment e(p, i, i % 3 != 0);
        const auto found = e.run(on, {}, [&](const tensors& t) { return run_reference(on, p, t); });
        e.expect_matches(e.expected(), found, {}, "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    const groupnorm::problem p = {.batch = 1, .image = {5, 5}, .groups = 3, .c = 5, .type = type};
    const auto reason          = [&](const groupnorm::problem& of, const wanted& outputs, std::string_view name) {
        const auto chosen = make_plan(on, of, outputs, name);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    EXPECT_EQ(reason(p, {}, ""), "accepted");
    EXPECT_EQ(reason(p, {}, "none"), "instance 'none' is not one of " + on.name() + ": --instance list shows them");
    EXPECT_EQ(reason(p, {false, false, false}, ""), "no gradient is wanted: ask for dx, dgamma or dbeta");
    EXPECT_EQ(reason({.batch = -1, .type = type}, {}, ""), "N must be zero or positive, but is -1: choose 0 or more");
    for(const instance* i : instances(on))
        if(const status s = supports(*i, p); !s)
            EXPECT_EQ(reason(p, {}, name_of(*i)), name_of(*i) + " on " + on.name() + ": " + s.reason());
    // A row of pixels, of all channels, of more than 2 GB.
    const std::string too_large =
        reason({.batch = 1, .image = {4, 4}, .groups = 1 << 20, .c = 1024, .type = type}, {}, "");
    EXPECT_TRUE(too_large.starts_with("no instance supports the problem on " + on.name() + ": ")) << too_large;
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, every_type_on(kernel_targets()), name_of_parameter);
INSTANTIATE_TEST_SUITE_P(Targets, OnGpu, every_type_on(gpu_targets()), name_of_parameter);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnGpu);

} // namespace
} // namespace ck_tile::groupnorm_bwd
