// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it finds the maxima of the reference. Linked with
// the instances of the library, and with those of configurations drawn at random.
#include "ops/maxpool_fwd/describe.hpp"
#include "ops/maxpool_fwd/instance.hpp"
#include "tests/ops/maxpool_fwd/fixture.hpp"
#include "tests/support/kernel_targets.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto on = device::open(GetParam());
    ASSERT_TRUE(on) << on.reason();
    random_numbers random(13);
    for(const instance* i : instances(*on))
    {
        SCOPED_TRACE(name_of(*i));
        const config& c = i->configuration;
        EXPECT_FALSE(check(c));
        const auto parsed = reflect::parse_instance_name<config>(operation, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(reflect::compare(*parsed, c) == 0);

        for(std::uint32_t seed = 0; seed < 12; ++seed)
        {
            maxpool::problem p = maxpool::random_problem(random);
            p.channels         = c.vector * random.between(1, 5);
            p.type             = c.dtype;
            p.layout           = c.layout;
            p.indices          = seed % 4 == 3 ? indices::recompute : c.index; // values alone
            ASSERT_TRUE(supports(*i, p)) << describe(p);
            const auto plan = make_plan(*on, p, name_of(*i));
            ASSERT_TRUE(plan) << plan.reason();
            const experiment e(p, static_cast<maxpool::content>(seed / 3), seed);
            e.expect_right(e.run_plan(*on, *plan), "seed " + std::to_string(seed));
            if(HasFatalFailure())
                return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()),
                         [](const auto& info) { return test_name_of(info.param); });

} // namespace
} // namespace ck_tile::maxpool_fwd
