// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it computes what the fp64 reference says. Linked
// with the instances of the library, and with those of configurations drawn at random.
#include "ops/groupnorm/describe.hpp"
#include "ops/groupnorm_fwd/operation.hpp"
#include "tests/ops/groupnorm/fixture.hpp"

namespace ck_tile::groupnorm_fwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto make = [](const problem& p, std::uint32_t seed) {
        return groupnorm::experiment_with<operation>(p, {.seed = seed});
    };
    expect_instances_right<operation>(GetParam(), {.problems = 8, .draw = groupnorm::problem_for, .make = make});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::groupnorm_fwd
