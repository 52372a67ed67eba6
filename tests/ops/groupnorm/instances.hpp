// SPDX-License-Identifier: MIT
// Every instance of a registry by itself on random problems that it supports: for forward and backward.
#pragma once

#include "ops/groupnorm/describe.hpp"
#include "tests/ops/groupnorm/fixture.hpp"
#include "tests/support/kernel_targets.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ck_tile::groupnorm
{

// A problem of the instance's type and layout, and mostly such that its vectors fit.
inline problem random_problem(const config& c, random_numbers& random)
{
    problem p            = random_problem(random);
    const bool channels  = c.dense == innermost::channels;
    std::int64_t& vector = channels ? p.c : p.image[static_cast<std::size_t>(p.spatial) - 1];
    p.batch              = random.between(1, 3);
    p.type               = c.dtype;
    p.layout             = channels ? layout::nhwgc : layout::ngchw;
    vector               = c.vector * random.between(1, 40 / c.vector);
    return p;
}

// Expects what expect_right(device, problem, seed, instance name) expects of 8 problems for each of the target's instances. It
// is to return whether there is a plan: a pass of several needs others that support the problem too.
template <class Instances, class ExpectRight>
void expect_instances_right(const std::string& target, Instances&& instances, std::string_view operation,
                            ExpectRight&& expect_right)
{
    const auto opened = device::open(target);
    ASSERT_TRUE(opened) << opened.reason();
    const device& on = *opened;
    random_numbers random(14);
    for(const auto* i : instances(on))
    {
        SCOPED_TRACE(name_of(*i));
        const config& c = i->configuration;
        EXPECT_FALSE(check(c));
        const auto parsed = reflect::parse_instance_name<config>(operation, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(*parsed == c);

        int right = 0;
        for(std::uint32_t attempt = 0; attempt < 2000 && right < 8; ++attempt)
        {
            const problem p = random_problem(c, random);
            right += supports(*i, p) && expect_right(on, p, attempt, name_of(*i));
            if(testing::Test::HasFatalFailure())
                return;
        }
        EXPECT_EQ(right, 8) << "problems found that it supports";
    }
}

} // namespace ck_tile::groupnorm
