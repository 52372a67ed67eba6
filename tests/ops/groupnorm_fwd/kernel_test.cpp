// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ck_tile/runtime/host_convert.hpp"
#include "ops/groupnorm_fwd/groupnorm_fwd.hpp"
#include "ops/groupnorm_fwd/instance.hpp"
#include "ops/groupnorm_fwd/reference.hpp"
#include "tests/ops/groupnorm/problems.hpp"
#include "tests/support/kernel_targets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace ck_tile::groupnorm_fwd
{
namespace
{

using groupnorm::layout;
using groupnorm::random_problem;
using groupnorm::random_values;
using parameters = std::tuple<std::string, data_type>;

constexpr float epsilon = 1e-5f;

struct results
{
    std::vector<float> y, mean, inv_std;
};

struct experiment
{
    groupnorm::problem problem;
    std::vector<float> x, gamma, beta;

    // x has mean `offset` and a standard deviation of about 1.
    explicit experiment(const groupnorm::problem& p, std::uint32_t seed = 0, bool with_parameters = true,
                        float offset = 0)
        : problem(p),
          x(random_values(p.batch * p.pixels() * p.channels(), p.type, seed, offset, 1.7f)),
          gamma(random_values(with_parameters ? p.channels() : 0, p.type, seed + 1, 0.5f, 1.f)),
          beta(random_values(with_parameters ? p.channels() : 0, p.type, seed + 2, 0.f, 1.f))
    {
    }

    // y, mean and inv_std as `launch` computes them: launch(tensors) -> status.
    template <class Launch>
    results run(const device& on, Launch&& launch) const
    {
        const auto upload = [&](const std::vector<float>& values, data_type type) {
            const auto bytes = encode(type, values);
            auto memory      = on.allocate(bytes.size());
            EXPECT_TRUE(memory) << memory.reason();
            EXPECT_TRUE(on.copy_to_device(memory->data(), bytes.data(), bytes.size()));
            return std::move(*memory);
        };
        const auto download = [&](const device_buffer& memory, data_type type) {
            std::vector<std::byte> bytes(memory.bytes());
            EXPECT_TRUE(on.copy_to_host(bytes.data(), memory.data(), bytes.size()));
            return decode(type, bytes);
        };
        // Results start as NaN: what a kernel forgets to write shows.
        const std::vector<float> statistics(std::size_t(problem.batch * problem.groups), NAN);
        const auto x_memory = upload(x, problem.type), gamma_memory = upload(gamma, problem.type),
                   beta_memory = upload(beta, problem.type);
        const auto y           = upload(std::vector<float>(x.size(), NAN), problem.type);
        const auto mean = upload(statistics, data_type::fp32), inv_std = upload(statistics, data_type::fp32);
        const tensors t = {x_memory.data(),
                           gamma.empty() ? nullptr : gamma_memory.data(),
                           beta.empty() ? nullptr : beta_memory.data(),
                           y.data(),
                           static_cast<float*>(mean.data()),
                           static_cast<float*>(inv_std.data())};
        const status s  = launch(t);
        EXPECT_TRUE(s) << s.reason();
        EXPECT_TRUE(on.synchronize());
        return {download(y, problem.type), download(mean, data_type::fp32), download(inv_std, data_type::fp32)};
    }

    results run_plan(const device& on, const plan& what) const
    {
        auto workspace = on.allocate(what.workspace_bytes);
        EXPECT_TRUE(workspace) << workspace.reason();
        return run(
            on, [&](const tensors& t) { return groupnorm_fwd::run(on, problem, what, t, epsilon, workspace->data()); });
    }

    reference_results expected() const { return reference(problem, {x, gamma, beta, epsilon}); }

    void expect_matches(const reference_results& right, const results& actual, const std::string& what) const
    {
        const auto expect = [&](const char* name, data_type type, const groupnorm::reference_result& expected,
                                const std::vector<float>& found) {
            ASSERT_EQ(expected.value.size(), found.size()) << what;
            for(std::size_t i = 0; i < found.size(); ++i)
                ASSERT_LE(std::abs(found[i] - expected.value[i]),
                          error_bound(type, problem.group_elements(), expected.value[i], expected.magnitude[i]))
                    << what << ": " << name << "[" << i << "] is " << found[i] << ", the reference says "
                    << expected.value[i] << "; " << groupnorm::describe(problem);
        };
        expect("y", problem.type, right.y, actual.y);
        expect("mean", data_type::fp32, right.mean, actual.mean);
        expect("inv_std", data_type::fp32, right.inv_std, actual.inv_std);
    }
};

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

    void expect_all_instances_right(const experiment& e)
    {
        const auto expected = e.expected();
        int supported       = 0;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, e.problem))
                continue;
            ++supported;
            used.insert(name_of(*i));
            const auto chosen = make_plan(on, e.problem, name_of(*i));
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
    std::minstd_rand random(30);
    for(std::uint32_t i = 0; i < 30 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

TEST_P(Kernel, EveryInstanceRuns)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right({.spatial = 1, .batch = 2, .image = {64}, .groups = 2, .c = 8, .layout = order});
    for(const instance* i : instances(on))
        if(i->configuration.dtype == type)
            EXPECT_TRUE(used.contains(name_of(*i))) << name_of(*i);
}

TEST_P(Kernel, LargeGroups)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const auto& [groups, c, pixels] : {std::tuple{4, 10, 4096}, {2, 16, 1000}, {1, 8, 40000}})
            if(!HasFatalFailure())
                expect_all_instances_right(
                    {.spatial = 1, .batch = 1, .image = {pixels}, .groups = groups, .c = c, .layout = order});
}

TEST_P(Kernel, FewChannelsAndOneByOneImages)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const int c : {1, 3, 24})
            for(const int side : {1, 7})
                if(!HasFatalFailure())
                    expect_all_instances_right(
                        {.batch = 2, .image = {side, side}, .groups = 3, .c = c, .layout = order});
}

TEST_P(Kernel, EmptyBatch)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right({.batch = 0, .groups = 3, .c = 8, .layout = order});
}

// A mean of 1000 standard deviations: the variance is summed of distances from it.
TEST_P(Kernel, LargeMean)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        for(const auto& [groups, c, side] : {std::tuple{4, 8, 16}, {2, 3, 5}, {2, 8, 64}})
            expect_all_instances_right(
                experiment({.batch = 2, .image = {side, side}, .groups = groups, .c = c, .type = type, .layout = order},
                           3, true, 1000.f));
}

TEST_P(Kernel, ParametersAbsent)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
        expect_all_instances_right(
            experiment({.batch = 2, .groups = 4, .c = 6, .type = type, .layout = order}, 1, false));
}

TEST_P(Kernel, TheSameBitsEveryTime)
{
    for(layout order : {layout::nhwgc, layout::ngchw})
    {
        const experiment e({.batch = 3, .image = {32, 40}, .groups = 4, .c = 24, .type = type, .layout = order}, 7);
        for(const instance* i : instances(on))
            if(supports(*i, e.problem))
            {
                const auto chosen = make_plan(on, e.problem, name_of(*i));
                ASSERT_TRUE(chosen) << chosen.reason();
                const results once = e.run_plan(on, *chosen), again = e.run_plan(on, *chosen);
                EXPECT_TRUE(once.y == again.y && once.mean == again.mean && once.inv_std == again.inv_std)
                    << describe(*chosen);
            }
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    std::minstd_rand random(6);
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
    const auto reason = [&](std::string_view name) {
        const auto chosen = make_plan(on, {.type = type}, name);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    EXPECT_EQ(reason("none"), "instance 'none' is not one of " + on.name() + ": --instance list shows them");
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel,
                         testing::Combine(testing::ValuesIn(kernel_targets()),
                                          testing::Values(data_type::fp16, data_type::bf16, data_type::fp32)),
                         [](const auto& info) {
                             return test_name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

} // namespace
} // namespace ck_tile::groupnorm_fwd
