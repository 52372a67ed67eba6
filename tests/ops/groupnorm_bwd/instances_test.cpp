// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it computes what the fp64 reference says. Linked
// with the instances of the library, and with those of configurations drawn at random.
#include "ops/groupnorm_bwd/instance.hpp"
#include "tests/ops/groupnorm/instances.hpp"
#include "tests/ops/groupnorm_bwd/fixture.hpp"

namespace ck_tile::groupnorm_bwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto expect_right = [](const device& on, const groupnorm::problem& p, std::uint32_t seed,
                                 const std::string& name) {
        const auto plan = make_plan(on, p, {}, name);
        if(!plan)
            return false;
        const experiment e(p, seed);
        e.expect_matches(e.expected(), e.run_plan(on, *plan), {}, describe(*plan));
        return true;
    };
    groupnorm::expect_instances_right(GetParam(), instances, "groupnorm_bwd", expect_right);
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()),
                         [](const auto& info) { return test_name_of(info.param); });

} // namespace
} // namespace ck_tile::groupnorm_bwd
