// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, it computes what the fp64 reference says. Linked with the
// instances of the library, and with those of configurations drawn at random.
#include "ops/grouped_conv_conv_fwd/describe.hpp"
#include "ops/grouped_conv_conv_fwd/operation.hpp"
#include "tests/support/operation_test.hpp"

#include <utility>

namespace ck_tile::grouped_conv_conv_fwd
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

// A problem of the instance's kind: two products, or depthwise, with its window if it has one, 1-D or 2-D if it has none.
operation::problem random_problem(const config& c, random_numbers& random)
{
    const bool dense = c.first == formulation::dense;
    operation::problem p;
    p.spatial    = dense || c.window.any() ? random.between(1, 2) : 2;
    p.groups     = random.between(0, 2) == 0 ? random.between(1, 40) : 8 * random.between(1, 20);
    p.batch      = random.between(1, 3);
    p.k1         = random.between(0, 1) ? random.between(1, 40) : random.between(1, 9) * 8;
    p.type       = c.dtype();
    p.layout     = random.between(0, 3) == 0 ? conv::layout::ngchw : conv::layout::nhwgc;
    p.bias       = random.between(0, 1) != 0;
    p.activation = enumerators<conv::activation>::all[static_cast<std::size_t>(random.between(0, 3))].value;
    for(std::size_t d = 0; d < 2; ++d)
    {
        p.filter[d]    = c.window.any() ? random.between(1, 4) : d == 0 ? c.window.rows : c.window.cols;
        p.stride[d]    = c.window.any() ? random.between(1, 3) : c.window.stride;
        p.dilation[d]  = c.window.any() ? random.between(1, 2) : 1;
        p.left_pad[d]  = random.between(0, 3);
        p.right_pad[d] = random.between(0, 3);
        p.input[d]     = random.between(7, 21);
    }
    if(dense)
    {
        p.c        = random.between(2, c.first_shape().k);
        p.k        = std::exchange(p.groups, 1); // as many channels of the intermediate
        p.left_pad = p.right_pad = {};
    }
    return p;
}

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(GetParam(), {.problems = 3, .draw = random_problem});
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::grouped_conv_conv_fwd
