// SPDX-License-Identifier: MIT
// What check(config) accepts has distributions that cover, and fits its architecture; what it rejects, it says why.
#include "ops/groupnorm/config.hpp"
#include "ops/groupnorm/describe.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile::groupnorm
{
namespace
{

TEST(Config, WhatCheckAcceptsCanBeBuilt)
{
    random_numbers random(61);
    int accepted = 0;
    for(int i = 0; i < 20000; ++i)
    {
        const config c = {all_targets[random.between(0, int(std::size(all_targets)) - 1)]->arch,
                          static_cast<data_type>(random.between(0, 2)),
                          static_cast<innermost>(random.between(0, 1)),
                          static_cast<pass>(random.between(0, 2)),
                          random.between(0, 9),
                          random.between(0, 17),
                          random.between(0, 24),
                          random.between(0, 9)};
        if(check(c))
            continue;
        ++accepted;
        const target& t = facts(c.arch);
        for(const distribution& d : {c.tile(), c.thread_sums(), detail::folded(c.tile(), 1)})
            ASSERT_TRUE(d.covers() && d.threads() == c.cluster * c.threads()) << reflect::print(c);
        ASSERT_LE(c.threads(), t.max_block_threads);
        ASSERT_LE(c.lds_bytes(), t.lds_bytes) << reflect::print(c);
        ASSERT_EQ(c.lds_bytes() % 16, 0) << reflect::print(c); // of ranks of a cluster, one behind the other
        ASSERT_LE(c.cluster, t.max_cluster);
        ASSERT_GE(c.max_channels(), c.vector) << reflect::print(c);
    }
    EXPECT_GT(accepted, 300);
}

// Each rule, broken alone.
TEST(Config, RejectionsSayRuleValueAndFix)
{
    constexpr config good = {architecture::gfx942, data_type::fp16, innermost::channels, pass::whole, 8, 4, 8, 1};
    static_assert(!check(good));
    const auto reason = [&](auto&& change) {
        config c = good;
        change(c);
        return reflect::describe(check(c));
    };
    EXPECT_EQ(reason([](config& c) { c.vector = 16; }),
              "the vector width must be a power of two of at most 16 bytes, but one is 16: use 1, 2, 4 or 8");
    EXPECT_EQ(reason([](config& c) { c.waves = 17; }),
              "waves * lanes must be within the threads of a block, but one is 1088: use fewer waves");
    EXPECT_EQ(reason([](config& c) { c.steps = 0; }),
              "a thread must hold at least one vector, but one is 0: use 1 or more steps");
    EXPECT_EQ(
        reason([](config& c) { c.cluster = 2; }),
        "a cluster must not have more workgroups than the architecture lets, but one is 2: use a smaller cluster");
    EXPECT_EQ(reason([](config& c) { c.arch = architecture::sm90, c.cluster = 2, c.pass = pass::sums; }),
              "only a pass that holds whole groups can use a cluster, but one is 2: use a cluster of 1");
    EXPECT_EQ(reason([](config& c) { c.steps = 64; }),
              "what a thread holds must leave a quarter of its registers, but one is 548: use fewer steps");
    EXPECT_EQ(reason([](config& c) { c.waves = 16; }), "sums and coefficients must fit the block's LDS, but one is " +
                                                           std::to_string([&] {
                                                               config c = good;
                                                               c.waves  = 16;
                                                               return c.lds_bytes();
                                                           }()) +
                                                           ": use fewer waves or steps");
}

} // namespace
} // namespace ck_tile::groupnorm
