// SPDX-License-Identifier: MIT
// check(config) is sufficient: what it accepts has distributions that cover, and reads what it needs. Each rule says itself.
#include "ops/maxpool_bwd/config.hpp"

#include "ops/maxpool_bwd/describe.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile::maxpool_bwd
{
namespace
{

TEST(MaxpoolConfig, WhatCheckAcceptsReadsEveryWindowThatReachesThePatch)
{
    random_numbers random(7);
    int accepted = 0;
    for(int i = 0; i < 50000; ++i)
    {
        config c   = {};
        c.arch     = all_targets[random.between(0, int(std::size(all_targets)) - 1)]->arch;
        c.dtype    = static_cast<data_type>(random.between(0, 2));
        c.index    = indices::u8;
        c.layout   = random.between(0, 1) ? layout::nhwc : layout::nchw;
        c.window   = random.between(1, 7);
        c.stride   = random.between(1, 4);
        c.left_pad = random.between(0, 6);
        c.rows     = random.between(1, 4);
        c.cols     = random.between(1, 8);
        c.vector   = 1 << random.between(0, 3);
        c.threads  = 64 * random.between(1, 8);
        if(check(c))
            continue;
        ++accepted;
        const pooling::patch_shape shape = c.patch();
        for(const distribution& d : {shape.row_of_windows(), shape.row_of_sums(), shape.whole()})
            ASSERT_TRUE(d.covers() && d.threads() == c.threads) << reflect::print(c);
        ASSERT_LE(shape.whole().vecs() * bytes_of(c.dtype), 16) << reflect::print(c);
        for(int length : {shape.height(), shape.width()})
        {
            // Window o has element x at o * stride - left_pad + x; it reaches the patch if that is one of its elements.
            const auto reaches = [&](int o) {
                const int from = o * c.stride - c.left_pad;
                return from < length && from + c.window > 0;
            };
            const pooling::patch_shape::reach r = shape.windows_over(length);
            for(int o = -20; o < 40; ++o)
                ASSERT_EQ(reaches(o), o >= r.first && o < r.first + r.count) << o << ": " << reflect::print(c);
        }
        const pooling::patch_shape::reach needed = shape.windows_over(shape.width()), read = shape.windows_read();
        ASSERT_LE(read.first, needed.first) << reflect::print(c);
        ASSERT_GE(read.first + read.count, needed.first + needed.count) << reflect::print(c);
        ASSERT_EQ(read.first % shape.read_run(), 0) << reflect::print(c);
    }
    EXPECT_GT(accepted, 1000);
}

TEST(MaxpoolConfig, RejectionsSayRuleValueAndFix)
{
    constexpr config any   = {architecture::gfx942, data_type::fp16, indices::u8, layout::nhwc, 0, 0, 0, 4, 1, 8, 256};
    constexpr config known = {architecture::gfx942, data_type::fp16, indices::u8, layout::nhwc, 3, 2, 1, 2, 1, 8, 256};
    constexpr config first = {architecture::gfx942, data_type::fp16, indices::u8, layout::nchw, 3, 2, 1, 2, 4, 8, 256};
    for(const config& good : {any, known, first})
        ASSERT_FALSE(check(good)) << check(good).rule;

    const auto expect = [](config c, auto&& change, const std::string& reason) {
        change(c);
        ASSERT_TRUE(check(c)) << reason << " is not checked";
        EXPECT_EQ(reflect::describe(check(c)), reason);
    };
    // clang-format off
    expect(any, [](config& c) { c.index = indices::recompute; },
           "an instance reads indices of one kind, but one is recompute: choose u8, int32 or int64");
    expect(any, [](config& c) { c.threads = 96; },
           "threads must be whole waves within a block, but one is 96: use a multiple of the wave");
    expect(any, [](config& c) { c.vector = 16; },
           "vectors of dY and of indices must be a power of two of at most 16 bytes, but one is 16: use a narrower vector");
    expect(any, [](config& c) { c.index = indices::int64; },
           "vectors of dY and of indices must be a power of two of at most 16 bytes, but one is 8: use a narrower vector");
    expect(any, [](config& c) { c.layout = layout::nchw; },
           "with channels first, any window is read an element at a time, but one is 8: use vector 1");
    expect(any, [](config& c) { c.stride = 2; },
           "for any window, stride and pad are the problem's, but one is 2: use stride 0 and left_pad 0");
    expect(any, [](config& c) { c.cols = 4; },
           "the sums of a block's patches must fit its LDS, but one is 131072: use smaller patches, narrower vectors or fewer "
           "threads");
    expect(known, [](config& c) { c.left_pad = 3; },
           "window and stride must be positive, and the pad smaller than the window, but one is 3: use window 0 for any");
    expect(known, [](config& c) { c.index = indices::int32; c.vector = 4; },
           "a known window is read with u8 indices, but one is int32: use window 0 for other indices");
    expect(known, [](config& c) { c.window = 17; },
           "u8 indices count at most 256 elements of a window, but one is 17: use window 0 with wider indices");
    expect(known, [](config& c) { c.cols = 0; },
           "a patch must have rows and columns, but one is 0: use 1 or more");
    expect(first, [](config& c) { c.cols = 3; },
           "with channels first, rows of a patch must be whole vectors, but one is 6: use a narrower vector, or cols for more of "
           "them");
    expect(known, [](config& c) { c.rows = 20; },
           "the sums of a patch must leave half of the registers, but one is 640: use smaller patches or vectors");
    // clang-format on
}

} // namespace
} // namespace ck_tile::maxpool_bwd
