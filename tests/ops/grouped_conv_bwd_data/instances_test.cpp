// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, in one split and in several, it computes what
// the fp64 reference says. Linked with the instances of the library, and with those of configurations drawn at random.
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv_bwd_data/describe.hpp"
#include "ops/grouped_conv_bwd_data/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

#include <algorithm>

namespace ck_tile::grouped_conv_bwd_data
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

// A problem of the instance's kind, whose vectors fit.
operation::problem random_problem(const config& c, random_numbers& random)
{
    const int least = c.takes_boxes() ? conv::box_elements : 1;
    operation::problem p =
        conv::random_problem_of(random, c.spatial, std::max(least, c.vector.out),
                                std::max({least, c.vector.in, c.vector.wei}), 2 * c.tile.block.k, c.tile.block.n);
    p.type = c.dtype();
    return p;
}

std::vector<int> one_and_two_splits(const config& c, const operation::problem& p)
{
    return !c.is_pointwise() && p.k > 2 * c.tile.block.k ? std::vector{1, 2} : std::vector{1};
}

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(GetParam(),
                                      {.problems = 3, .draw = random_problem, .splits = one_and_two_splits});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::grouped_conv_bwd_data
