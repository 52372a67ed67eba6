// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, it computes what the fp64 reference says. Linked with the
// instances of the library, and with those of configurations drawn at random.
#include "ops/depthwise_conv_bwd_data/describe.hpp"
#include "ops/depthwise_conv_bwd_data/operation.hpp"
#include "tests/support/depthwise_problems.hpp"
#include "tests/support/operation_test.hpp"

namespace ck_tile::depthwise_conv_bwd_data
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(
        GetParam(), {.problems = 4, .draw = [](const config& c, random_numbers& random) -> operation::problem {
                         return conv::random_depthwise_problem(c, random);
                     }});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::depthwise_conv_bwd_data
