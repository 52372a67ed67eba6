// SPDX-License-Identifier: MIT
// Every instance of a registry by itself: on random problems that it supports, in one split and in several, it computes what
// the fp64 reference says. Linked with the instances of the library, and with those of configurations drawn at random.
#include "ops/grouped_conv_bwd_weight/describe.hpp"
#include "ops/grouped_conv_bwd_weight/instance.hpp"
#include "tests/ops/grouped_conv_bwd_weight/fixture.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

class Instances : public testing::TestWithParam<std::string>
{};

// A problem of the instance's kind; its vectors fit, mostly.
conv::problem random_problem(const config& c, random_numbers& random)
{
    const bool channels = c.dense == innermost::channels;
    const auto length   = [&](int vector, int tile) {
        return vector * random.between(1, std::max(1, (tile + 24) / vector));
    };
    conv::problem p = {.spatial = random.between(1, c.spatial),
                       .groups  = random.between(1, 2),
                       .batch   = random.between(1, 2),
                       .k       = length(channels ? c.vector.out : 1, c.tile.block.m),
                       .c       = length(channels ? std::max(c.vector.in, c.vector.wei) : c.vector.wei, c.tile.block.n / 4),
                       .type    = c.dtype(),
                       .layout  = channels ? static_cast<conv::layout>(random.between(0, 1)) : conv::layout::ngchw};
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

TEST_P(Instances, AreRightOnProblemsThatTheySupport)
{
    const auto on = device::open(GetParam());
    ASSERT_TRUE(on) << on.reason();
    random_numbers random(3);
    for(const instance* i : instances(*on))
    {
        SCOPED_TRACE(describe(*i));
        const config& c = i->configuration;
        EXPECT_FALSE(check(c));
        const auto parsed = reflect::parse_instance_name<config>(operation, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(reflect::compare(*parsed, c) == 0);

        int supported = 0;
        for(int attempt = 0; attempt < 200 && supported < 3; ++attempt)
        {
            const conv::problem p = random_problem(c, random);
            if(!supports(*i, p))
                continue;
            ++supported;
            const experiment e(p, static_cast<std::uint32_t>(attempt));
            const reference_gradient expected = reference(p, e.in, e.out);
            for(const int splits : {1, 2})
            {
                const auto plan = make_plan(*on, p, splits, name_of(*i));
                if(splits > p.batch * p.output_pixels())
                    continue;
                if(splits > 1 && c.split == split_k::one_split)
                {
                    ASSERT_FALSE(plan);
                    EXPECT_EQ(plan.reason(),
                              "the instance does not split the reduction, and split-k is 2: choose 1 or auto, "
                              "or an instance with any_split");
                    continue;
                }
                ASSERT_TRUE(plan) << plan.reason();
                e.expect_matches(expected, e.run_plan(*on, *plan), "split-k " + std::to_string(splits));
                if(HasFatalFailure())
                    return;
            }
        }
        EXPECT_EQ(supported, 3) << "problems found that it supports";
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Instances, testing::ValuesIn(kernel_targets()),
                         [](const auto& info) { return test_name_of(info.param); });

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight
