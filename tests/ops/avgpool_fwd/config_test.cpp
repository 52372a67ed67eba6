// SPDX-License-Identifier: MIT
// Each rule of check(config) says what is broken.
#include "ops/avgpool_fwd/config.hpp"

#include "ops/avgpool_fwd/describe.hpp"

#include <gtest/gtest.h>

namespace ck_tile::avgpool_fwd
{
namespace
{

TEST(AvgpoolForwardConfig, RejectionsSayRuleValueAndFix)
{
    constexpr config good = {architecture::gfx942, data_type::fp16, layout::nhwc, 2, 1, 8, 256};
    ASSERT_FALSE(check(good));
    ASSERT_TRUE(good.shape().cell().covers());
    const auto expect = [&](auto&& change, const std::string& reason) {
        config c = good;
        change(c);
        ASSERT_TRUE(check(c)) << reason << " is not checked";
        EXPECT_EQ(reflect::describe(check(c)), reason);
    };
    expect([](config& c) { c.threads = 96; },
           "threads must be whole waves within a block, but one is 96: use a multiple of the wave");
    expect([](config& c) { c.lanes = 3; },
           "the threads of a window must be a power of two, of one wave, but one is 3: use 1, 2, 4, 8 or 16");
    expect([](config& c) { c.vector = 16; },
           "vectors of the input must be a power of two of at most 16 bytes, but one is 16: use a narrower vector");
    expect([](config& c) { c.rows = 0; }, "a thread must make an output, and its sums leave half of the registers, but "
                                          "one is 0: use fewer rows or narrower vectors");
    expect([](config& c) { c.rows = 33; }, "a thread must make an output, and its sums leave half of the registers, "
                                           "but one is 264: use fewer rows or narrower vectors");
}

} // namespace
} // namespace ck_tile::avgpool_fwd
