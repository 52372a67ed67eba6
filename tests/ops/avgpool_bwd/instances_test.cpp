// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports it computes what the fp64 reference says. Linked
// with the instances of the library, and with those of configurations drawn at random.
#include "ops/avgpool_bwd/describe.hpp"
#include "ops/avgpool_bwd/operation.hpp"
#include "tests/ops/avgpool/fixture.hpp"

namespace ck_tile::avgpool_bwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    // A problem of the instance's kind: its window and one divisor, if it is made for one, and lengths that its vectors fit.
    const auto draw = [](const config& c, random_numbers& random) {
        avgpool::problem p = avgpool::random_problem(random);
        p.channels         = c.channels() * random.between(1, 5);
        p.type             = c.dtype;
        p.layout           = c.layout;
        if(!c.any_window())
        {
            p.window   = {c.window, c.window};
            p.stride   = {c.stride, c.stride};
            p.left_pad = {c.left_pad, c.left_pad};
            p.input    = {random.between(c.window, 40), c.patch().write_run() * random.between(c.window, 12)};
            if(avgpool::divisor_of_all(p) == 0)
                p.divisor_override = random.between(1, 9);
        }
        return p;
    };
    const auto make = [](const avgpool::problem& p, std::uint32_t seed) {
        return avgpool::experiment_with<operation>(p, static_cast<avgpool::content>(seed % 4), seed);
    };
    expect_instances_right<operation>(GetParam(), {.problems = 12, .draw = draw, .make = make});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::avgpool_bwd
