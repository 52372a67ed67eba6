// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it finds the maxima of the reference. Linked with
// the instances of the library, and with those of configurations drawn at random.
#include "ops/maxpool_fwd/describe.hpp"
#include "ops/maxpool_fwd/operation.hpp"
#include "tests/ops/maxpool/fixture.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto draw = [](const config& c, random_numbers& random) {
        maxpool::problem p = maxpool::random_problem(random);
        p.channels         = c.vector * random.between(1, 5);
        p.type             = c.dtype;
        p.layout           = c.layout;
        p.indices          = random.between(0, 3) == 3 ? indices::recompute : c.index; // values alone
        return p;
    };
    const auto make = [](const maxpool::problem& p, std::uint32_t seed) {
        return maxpool::experiment_with<operation>(p, static_cast<maxpool::content>(seed % 4), seed);
    };
    expect_instances_right<operation>(GetParam(), {.problems = 12, .draw = draw, .make = make});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::maxpool_fwd
