// SPDX-License-Identifier: MIT
// Each rule of check(config) says what is broken.
#include "ops/maxpool_fwd/config.hpp"

#include "ops/maxpool_fwd/describe.hpp"

#include <gtest/gtest.h>

namespace ck_tile::maxpool_fwd
{
namespace
{

TEST(MaxpoolForwardConfig, RejectionsSayRuleValueAndFix)
{
    constexpr config good = {architecture::gfx942, data_type::fp16, indices::u8, layout::nhwc, 2, 1, 8, 256};
    ASSERT_FALSE(check(good));
    ASSERT_TRUE(good.shape().cell().covers());
    const auto expect = [&](auto&& change, const std::string& reason) {
        config c = good;
        change(c);
        ASSERT_TRUE(check(c)) << reason << " is not checked";
        EXPECT_EQ(reflect::describe(check(c)), reason);
    };
    expect([](config& c) { c.index = indices::recompute; },
           "an instance writes indices of one kind, but one is recompute: choose u8, int32 or int64");
    expect([](config& c) { c.threads = 96; },
           "threads must be whole waves within a block, but one is 96: use a multiple of the wave");
    expect(
        [](config& c) { c.vector = 16; },
        "vectors of the input and of indices must be a power of two of at most 16 bytes, but one is 16: use a narrower "
        "vector");
    expect(
        [](config& c) { c.index = indices::int32; },
        "vectors of the input and of indices must be a power of two of at most 16 bytes, but one is 8: use a narrower "
        "vector");
    expect([](config& c) { c.lanes = 3; },
           "the threads of a window must be a power of two, of one wave, but one is 3: use 1, 2, 4, 8 or 16");
    expect([](config& c) { c.rows = 0; },
           "a thread must make an output, and its maxima leave half of the registers, but one is 0: use fewer rows or "
           "narrower vectors");
    expect(
        [](config& c) { c.rows = 17; },
        "a thread must make an output, and its maxima leave half of the registers, but one is 272: use fewer rows or "
        "narrower vectors");
}

// A thread's channels are one vector; in memory they lie side by side, or one image behind the other. Lanes of one window have columns side
// by side, and the same cell.
TEST(MaxpoolForwardConfig, CellsAreChannelsOfAPixel)
{
    for(const layout order : {layout::nhwc, layout::nchw})
        for(const int lanes : {1, 8})
        {
            const config c = {.arch   = architecture::gfx942,
                              .dtype  = data_type::fp16,
                              .index  = indices::u8,
                              .layout = order,
                              .lanes  = lanes,
                              .vector = 8};
            ASSERT_FALSE(check(c)) << check(c).rule;
            for(const distribution& d : {c.shape().cell(), c.shape().row_of_elements()})
                EXPECT_EQ(d.vecs(), 8);
            for(const distribution& d : {c.shape().cell(), c.shape().row_of_elements(), c.shape().stored_cell(),
                                         c.shape().stored_row_of_elements()})
            {
                EXPECT_TRUE(d.covers() && d.threads() == c.threads && d.length(2) == 8);
                EXPECT_EQ(d.length(0) * lanes, c.threads);
            }
            EXPECT_EQ(c.shape().stored_cell().vecs(), order == layout::nhwc ? 8 : 1);
            EXPECT_EQ(c.shape().stored_row_of_elements().vecs(), order == layout::nhwc ? 8 : 1);
            for(int lane = 0; lane < 64; ++lane)
            {
                EXPECT_EQ(c.shape().row_of_elements().locate(1, {.lane = lane}), lane % lanes);
                EXPECT_EQ(c.shape().row_of_elements().locate(0, {.lane = lane}), lane / lanes);
                EXPECT_EQ(c.shape().cell().locate(0, {.lane = lane}), lane / lanes);
            }
        }
}

} // namespace
} // namespace ck_tile::maxpool_fwd
