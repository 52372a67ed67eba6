// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, in one split and in several, it computes what
// the fp64 reference says. Linked with the instances of the library, and with those of configurations drawn at random.
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv_bwd_weight/describe.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

#include <algorithm>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

// A problem of the instance's kind; its vectors fit, mostly.
conv::problem random_problem(const config& c, random_numbers& random)
{
    const auto length = [&](int vector, int tile) {
        return vector * random.between(1, std::max(1, (tile + 24) / vector));
    };
    if(c.is_pointwise())
    {
        conv::problem p =
            conv::random_problem_of(random, 0, c.vector.out, c.vector.wei, c.tile.block.m, c.tile.block.n);
        p.type = c.dtype();
        return p;
    }
    const int least = c.takes_boxes() ? conv::box_elements : 1;
    conv::problem p = {.spatial = random.between(1, c.spatial),
                       .groups  = random.between(1, 2),
                       .batch   = random.between(1, 2),
                       .k       = length(std::max(least, c.vector.out), c.tile.block.m),
                       .c       = length(std::max({least, c.vector.in, c.vector.wei}), c.tile.block.n / 4),
                       .type    = c.dtype(),
                       .layout  = static_cast<conv::layout>(random.between(0, 2))};
    for(int d = 0; d < p.spatial; ++d)
    {
        p.filter[d]    = random.between(1, 3);
        p.stride[d]    = random.between(1, 2);
        p.dilation[d]  = random.between(1, 2);
        p.left_pad[d]  = random.between(0, 2);
        p.right_pad[d] = random.between(0, 2);
        p.input[d]     = p.window(d) + random.between(0, p.spatial == 3 ? 3 : 7);
    }
    return p;
}

std::vector<int> one_and_two_splits(const config& c, const conv::problem& p)
{
    return c.split == split_k::any_split && p.batch * p.output_pixels() > 1 ? std::vector{1, 2} : std::vector{1};
}

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    expect_instances_right<operation>(GetParam(),
                                      {.problems = 3, .draw = random_problem, .splits = one_and_two_splits});
}

TEST_P(Instances, ThatDoNotSplitSaySo)
{
    const auto dev = device::open(GetParam());
    ASSERT_TRUE(dev) << dev.reason();
    random_numbers random(4);
    for(const instance<operation>* i : instances<operation>(*dev))
        for(int attempt = 0; attempt < 20 && i->configuration.split == split_k::one_split; ++attempt)
        {
            const conv::problem p = random_problem(i->configuration, random);
            if(supports(*i, p) && p.batch * p.output_pixels() > 1)
                EXPECT_EQ(
                    make_plan<operation>(*dev, p, {.instance = name_of(*i), .splits = 2}).reason(),
                    fmt::format("{} on {}: the instance does not split the reduction, and split-k is 2: choose 1 or "
                                "auto, or an instance with any_split",
                                name_of(*i), dev->name()));
        }
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight
