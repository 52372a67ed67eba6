// SPDX-License-Identifier: MIT
// Each rule of check(config) says what is broken.
#include "ops/avgpool_bwd/config.hpp"

#include "ops/avgpool_bwd/describe.hpp"

#include <gtest/gtest.h>

namespace ck_tile::avgpool_bwd
{
namespace
{

TEST(AvgpoolBackwardConfig, RejectionsSayRuleValueAndFix)
{
    constexpr config any   = {architecture::gfx942, data_type::fp16, layout::nhwc, 0, 0, 0, 2, 1, 8, 256};
    constexpr config known = {architecture::gfx942, data_type::fp16, layout::nchw, 2, 2, 0, 2, 4, 8, 256};
    ASSERT_FALSE(check(any));
    ASSERT_FALSE(check(known));
    ASSERT_TRUE(any.column().row_of_elements().covers());
    const auto expect = [&](config c, auto&& change, const std::string& reason) {
        change(c);
        ASSERT_TRUE(check(c)) << reason << " is not checked";
        EXPECT_EQ(reflect::describe(check(c)), reason);
    };
    // clang-format off
    expect(any, [](config& c) { c.threads = 96; },
           "threads must be whole waves within a block, but one is 96: use a multiple of the wave");
    expect(any, [](config& c) { c.vector = 3; },
           "vectors of dY and dX must be a power of two of at most 16 bytes, but one is 3: use a narrower vector");
    expect(any, [](config& c) { c.rows = 0; }, "a patch must have rows and columns, but one is 0: use 1 or more");
    expect(any, [](config& c) { c.rows = 33; },
           "the sums of a thread must leave half of the registers, but one is 264: use fewer rows or narrower vectors");
    expect(any, [](config& c) { c.left_pad = 1; },
           "for any window, stride and pad are the problem's, but one is 1: use stride 0 and left_pad 0");
    expect(any, [](config& c) { c.cols = 2; }, "for any window, a thread makes pixels of one column, but one is 2: use cols 1");
    expect(known, [](config& c) { c.cols = 3; },
           "with channels first, rows of a patch must be whole vectors, but one is 6: use a narrower vector, or cols for more of "
           "them");
    // clang-format on
}

} // namespace
} // namespace ck_tile::avgpool_bwd
