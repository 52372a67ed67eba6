// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it computes what the fp64 reference says. Linked
// with the instances of the library, and with those of configurations drawn at random.
#include "ops/maxpool_bwd/describe.hpp"
#include "ops/maxpool_bwd/operation.hpp"
#include "tests/ops/maxpool/fixture.hpp"

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
    p.channels         = c.channels() * random.between(1, 5);
    p.type             = c.dtype;
    p.layout           = c.layout;
    p.indices          = c.index;
    if(!c.any_window())
    {
        p.window   = {c.window, c.window};
        p.stride   = {c.stride, c.stride};
        p.left_pad = {c.left_pad, c.left_pad};
        p.dilation = {1, 1};
        p.input    = {random.between(1, 40), c.patch().write_run() * random.between(1, 12)};
    }
    return p;
}

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto make = [](const maxpool::problem& p, std::uint32_t seed) {
        return maxpool::experiment_with<operation>(p, static_cast<maxpool::content>(seed % 4), seed);
    };
    expect_instances_right<operation>(GetParam(), {.problems = 8, .draw = random_problem, .make = make});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::maxpool_bwd
