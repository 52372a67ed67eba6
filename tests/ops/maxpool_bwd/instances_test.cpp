// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it computes what the fp64 reference says. Linked
// with the instances of the library, and with those of configurations drawn at random.
#include "ops/maxpool_bwd/describe.hpp"
#include "ops/maxpool_bwd/instance.hpp"
#include "tests/ops/maxpool_bwd/fixture.hpp"
#include "tests/support/kernel_targets.hpp"

namespace ck_tile::maxpool_bwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

// A problem of the instance's kind: its window, if it is made for one, and lengths that its vectors fit.
maxpool::problem random_problem(const config& c, random_numbers& random)
{
    maxpool::problem p = maxpool::random_problem(random);
    p.batch            = random.between(1, 3);
    p.channels         = c.vector * random.between(1, 5);
    p.type             = c.dtype;
    p.layout           = c.layout;
    p.indices          = c.index;
    if(!c.any_window())
    {
        p.window   = {c.window, c.window};
        p.stride   = {c.stride, c.stride};
        p.left_pad = {c.left_pad, c.left_pad};
        p.dilation = {1, 1};
        p.input    = {random.between(1, 40), c.write_run() * random.between(1, 12)};
    }
    return p;
}

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto on = device::open(GetParam());
    ASSERT_TRUE(on) << on.reason();
    random_numbers random(12);
    for(const instance* i : instances(*on))
    {
        SCOPED_TRACE(name_of(*i));
        const config& c = i->configuration;
        EXPECT_FALSE(check(c));
        const auto parsed = reflect::parse_instance_name<config>(operation, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(reflect::compare(*parsed, c) == 0);

        int supported = 0;
        for(int attempt = 0; attempt < 2000 && supported < 8; ++attempt)
        {
            const maxpool::problem p = random_problem(c, random);
            if(!supports(*i, p))
                continue;
            const auto plan = make_plan(*on, p, name_of(*i));
            ASSERT_TRUE(plan) << plan.reason();
            const experiment e(p, static_cast<maxpool::content>(supported % 4), static_cast<std::uint32_t>(attempt));
            e.expect_right(e.run_plan(*on, *plan), "attempt " + std::to_string(attempt));
            if(HasFatalFailure())
                return;
            ++supported;
        }
        EXPECT_EQ(supported, 8) << "problems found that it supports";
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()),
                         [](const auto& info) { return test_name_of(info.param); });

} // namespace
} // namespace ck_tile::maxpool_bwd
