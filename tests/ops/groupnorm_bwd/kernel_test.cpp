// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "tests/ops/groupnorm_bwd/fixture.hpp"
#include "tests/support/kernel_targets.hpp"

#include "ops/groupnorm_bwd/instance.hpp"

#include <set>
#include <tuple>

namespace ck_tile::groupnorm_bwd
{
namespace
{

using groupnorm::layout;
using groupnorm::random_problem;
using parameters = std::tuple<std::string, data_type>;

class Kernel : public testing::TestWithParam<parameters>
{
  protected:
    device on = [] {
        auto d = device::open(std::get<0>(GetParam()));
        EXPECT_TRUE(d) << d.reason();
        return std::move(*d);
    }();
    data_type type             = std::get<1>(GetParam());
    std::set<std::string> used = {}; // instances that some problem ran on

    // Runs the problem on each instance that supports it.
    void expect_all_instances_right(const experiment& e, const wanted& outputs = {})
    {
        const auto expected = e.expected();
        int supported       = 0;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, e.problem) || (i->configuration.pass == pass::apply && !outputs.dx))
                continue;
            ++supported;
            used.insert(name_of(*i));
            const auto chosen = make_plan(on, e.problem, outputs, name_of(*i));
            ASSERT_TRUE(chosen) << chosen.reason() << "; " << groupnorm::describe(e.problem);
            e.expect_matches(expected, e.run_plan(on, *chosen), describe(*chosen));
            if(HasFatalFailure())
                return;
        }
        ASSERT_GT(supported, 0) << "no instance supports " << groupnorm::describe(e.problem);
    }

    void expect_all_instances_right(groupnorm::problem p, std::uint32_t seed = 0)
    {
        p.type = type;
        expect_all_instances_right(experiment(p, seed));
    }
};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    std::minstd_rand random(20);
    for(std::uint32_t i = 0; i < 40 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

// Groups that fill the largest blocks of several units, and such that do not fit any.
TEST_P(Kernel, LargeGroups)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const auto& [groups, c, pixels] :
            {std::tuple{4, 10, 4096}, {4, 10, 512}, {2, 16, 1000}, {3, 40, 256}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, EveryInstanceRuns)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right({.spatial = 1, .batch = 2, .image = {64}, .groups = 2, .c = 8, .layout = order});
    for(const instance* i : instances(on))
        if(i->configuration.dtype == type)
            EXPECT_TRUE(used.contains(name_of(*i))) << name_of(*i);
}

TEST_P(Kernel, FewChannelsPerGroup)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const int c : {1, 3, 5})
            for(const int groups : {1, 3, 8})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        {.batch = 2, .image = {7, 9}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, OneByOneImages)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const int c : {1, 24, 100})
            if(!HasFatalFailure())
                expect_all_instances_right({.batch = 5, .image = {1, 1}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, ManyChannels)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const int c : {3, 400})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.batch = 1, .image = {4, 4}, .groups = 1200 / c + 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatchGivesZeros)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right({.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// Sums are centred: a mean of 1000 standard deviations costs nothing but the rounding of x.
TEST_P(Kernel, LargeMean)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const auto& [groups, c] : {std::pair{4, 8}, {2, 3}})
        {
            const groupnorm::problem p = {
                .batch = 2, .image = {16, 8}, .groups = groups, .c = c, .type = type, .layout = order};
            expect_all_instances_right(experiment(p, 3, true, 1000.f));
        }
}

TEST_P(Kernel, GammaAbsent)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right(
            experiment({.batch = 2, .groups = 4, .c = 6, .type = type, .layout = order}, 1, false));
}

TEST_P(Kernel, EachOutputAbsent)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(int present = 1; present < 8; ++present)
        {
            const wanted outputs = {(present & 1) != 0, (present & 2) != 0, (present & 4) != 0};
            const experiment e({.batch = 2, .image = {8, 8}, .groups = 2, .c = 8, .type = type, .layout = order}, 4);
            for(const instance* i : instances(on))
            {
                const pass does = i->configuration.pass;
                if(!supports(*i, e.problem) || (!outputs.dx && does != pass::sums))
                    continue;
                const auto chosen = make_plan(on, e.problem, outputs, name_of(*i));
                ASSERT_TRUE(chosen) << chosen.reason();
                e.expect_matches(e.expected(), e.run_plan(on, *chosen), describe(*chosen));
            }
        }
}

TEST_P(Kernel, TheSameBitsEveryTime)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
    {
        const experiment e({.batch = 3, .image = {32, 40}, .groups = 4, .c = 24, .type = type, .layout = order}, 7);
        for(const instance* i : instances(on))
        {
            if(!supports(*i, e.problem))
                continue;
            const auto chosen = make_plan(on, e.problem, {}, name_of(*i));
            ASSERT_TRUE(chosen) << chosen.reason();
            const auto bits = [](const gradients& g) {
                std::vector<std::uint32_t> all;
                for(const auto* part : {&g.dx, &g.dgamma, &g.dbeta})
                    for(const float v : *part)
                        all.push_back(__builtin_bit_cast(std::uint32_t, v));
                return all;
            };
            EXPECT_EQ(bits(e.run_plan(on, *chosen)), bits(e.run_plan(on, *chosen))) << describe(*chosen);
        }
    }
}

// A NaN in one group reaches the dx of that group, and the parameters of its channels; nothing else.
TEST_P(Kernel, NaNStaysInItsGroup)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
    {
        experiment e({.batch = 2, .image = {6, 4}, .groups = 3, .c = 8, .type = type, .layout = order}, 9);
        e.dy[5]          = NAN; // image 0, group 0
        const auto right = e.expected();
        for(const instance* i : instances(on))
        {
            if(!supports(*i, e.problem))
                continue;
            const auto chosen = make_plan(on, e.problem, {}, name_of(*i));
            ASSERT_TRUE(chosen) << chosen.reason();
            const gradients found = e.run_plan(on, *chosen);
            const auto same       = [&](const groupnorm::reference_result& expected, const std::vector<float>& actual) {
                for(std::size_t at = 0; at < actual.size(); ++at)
                    ASSERT_EQ(std::isnan(actual[at]), std::isnan(expected.value[at])) << describe(*chosen) << " " << at;
            };
            same(right.dx, found.dx), same(right.dgamma, found.dgamma), same(right.dbeta, found.dbeta);
        }
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    std::minstd_rand random(5);
    for(std::uint32_t i = 0; i < 12; ++i)
    {
        groupnorm::problem p = random_problem(random);
        p.type               = type;
        const experiment e(p, i, i % 3 != 0);
        const auto found = e.run(on, {}, [&](const device& d, const tensors& t) { return run_reference(d, p, t); });
        e.expect_matches(e.expected(), found, "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    groupnorm::problem p = {.batch = 1, .image = {5, 5}, .groups = 3, .c = 5, .type = type};
    const auto reason    = [&](const wanted& outputs, std::string_view name) {
        const auto chosen = make_plan(on, p, outputs, name);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    EXPECT_EQ(reason({}, "none"), "instance 'none' is not one of " + on.name() + ": --instance list shows them");
    EXPECT_EQ(reason({false, false, false}, ""), "no gradient is wanted: ask for dx, dgamma or dbeta");
    std::set<std::string> reasons;
    for(const instance* i : instances(on))
    {
        if(i->configuration.dtype != type)
            continue;
        if(const status s = supports(*i, p); !s)
            reasons.insert(s.reason());
        groupnorm::problem large = p;
        large.image = {1024, 1024}, large.c = 8;
        if(const status s = supports(*i, large); !s && i->configuration.units == 1 &&
                                                 i->configuration.vector == 16 / bytes_of(type) &&
                                                 i->configuration.dense == innermost::channels)
            EXPECT_TRUE(s.reason().starts_with("a group of 1048576 pixels x 8 channels does not fit the "))
                << s.reason();
    }
    const std::string vector = std::to_string(16 / bytes_of(type));
    EXPECT_TRUE(reasons.contains("the channels of an image = 15 are not a multiple of the vector width " + vector +
                                 ": choose an instance with a narrower vector, or pad"));
    EXPECT_TRUE(reasons.contains("layout nhwgc has its channels innermost, the instance wants the pixels there"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel,
                         testing::Combine(testing::ValuesIn(kernel_targets()),
                                          testing::Values(data_type::fp16, data_type::bf16, data_type::fp32)),
                         [](const auto& info) {
                             return test_name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

} // namespace
} // namespace ck_tile::groupnorm_bwd
