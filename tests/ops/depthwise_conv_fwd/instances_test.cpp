// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, it computes what the fp64 reference says. Linked with the
// instances of the library, and with those of configurations drawn at random.
#include "ops/depthwise_conv_fwd/describe.hpp"
#include "ops/depthwise_conv_fwd/operation.hpp"
#include "tests/support/depthwise_problems.hpp"
#include "tests/support/operation_test.hpp"

namespace ck_tile::depthwise_conv_fwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(
        GetParam(), {.problems = 4, .draw = [](const config& c, random_numbers& random) -> operation::problem {
                         const auto& activation =
                             enumerators<conv::activation>::all[static_cast<std::size_t>(random.between(0, 3))];
                         return conv::forward_problem(conv::random_depthwise_problem(c, random),
                                                      random.between(0, 1) != 0, activation.value,
                                                      random.between(0, 1) != 0);
                     }});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::depthwise_conv_fwd
