// SPDX-License-Identifier: MIT
// How configurations cut problems: slabs cover every element, and what does not fit is rejected with rule, value and fix.
#include "ops/groupnorm/plan.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ck_tile::groupnorm
{
namespace
{

constexpr config channels_whole = {architecture::gfx942, data_type::fp16, innermost::channels, pass::whole, 8, 4, 8, 1};
constexpr config spatial_whole  = {architecture::gfx942, data_type::fp16, innermost::spatial, pass::whole, 8, 4, 8, 1};
static_assert(!check(channels_whole) && !check(spatial_whole));

config with(config c, pass does)
{
    c.pass = does;
    return c;
}

TEST(Plan, SlabsHoldEveryElementOnce)
{
    random_numbers random(4);
    int cuts = 0;
    for(int i = 0; i < 3000; ++i)
    {
        problem p;
        p.batch         = random.between(0, 4);
        p.image         = {random.between(1, 40), random.between(1, 40)};
        p.groups        = random.between(1, 40);
        p.c             = random.between(1, 40);
        p.type          = data_type::fp16;
        p.layout        = random.between(0, 1) ? layout::nhwgc : layout::ngchw;
        config c        = p.layout == layout::nhwgc ? channels_whole : spatial_whole;
        c.pass          = static_cast<pass>(random.between(0, 2));
        c.vector        = 1 << random.between(0, 3);
        const auto made = cut_into_slabs(c, p, random.between(1, 300), 3, random.between(0, 1));
        if(!made)
            continue;
        ++cuts;
        const geometry& g = made->slabs;
        EXPECT_GT(made->cost, 0) << describe(p);
        // Spans share out the channels, parts the pixels; none is empty.
        EXPECT_GE(std::int64_t(g.span) * g.spans.divisor, p.channels()) << describe(p);
        EXPECT_LT(std::int64_t(g.span) * (g.spans.divisor - 1), p.channels()) << describe(p);
        EXPECT_GE(std::int64_t(g.chunk) * g.chunks.divisor, p.pixels()) << describe(p);
        EXPECT_LT(std::int64_t(g.chunk) * (g.chunks.divisor - 1), p.pixels()) << describe(p);
        EXPECT_LE(g.span, c.max_channels());
        if(c.pass == pass::whole)
        {
            EXPECT_EQ(g.span % p.c, 0) << "a slab of whole groups holds no part of one; " << describe(p);
            EXPECT_EQ(g.chunks.divisor, 1);
            // What the slabs' blocks prefetch makes up the image, in whole vectors; the last ones prefetch nothing.
            const std::int64_t image = p.pixels() * p.channels(), runs = std::int64_t(g.spans.divisor) * c.cluster;
            EXPECT_GE(g.share * runs, image) << describe(p);
            EXPECT_LT((g.share - c.vector) * runs, image) << describe(p);
            EXPECT_EQ(g.share % c.vector, 0);
            EXPECT_EQ(image % c.vector, 0);
            EXPECT_LE(g.ahead, std::int64_t(p.batch) * g.spans.divisor);
        }
    }
    EXPECT_GT(cuts, 500);
}

TEST(Plan, RejectionsSayRuleValueAndFix)
{
    const auto reason = [](const config& c, const problem& p) {
        const auto made = cut_into_slabs(c, p, 304, 3);
        return made ? std::string("accepted") : made.reason();
    };
    const problem good = {.batch = 2, .image = {8, 8}, .groups = 4, .c = 8, .type = data_type::fp16};
    const auto changed = [&](auto&& change) {
        problem p = good;
        change(p);
        return p;
    };
    EXPECT_EQ(reason(channels_whole, good), "accepted");
    EXPECT_EQ(reason(channels_whole, changed([](problem& p) { p.c = 0; })),
              "C must be positive, but is 0: choose 1 or more");
    EXPECT_EQ(reason(spatial_whole, good),
              "layout nhwgc has its channels innermost, the instance wants the pixels there");
    EXPECT_EQ(reason(channels_whole, changed([](problem& p) { p.layout = layout::ngchw; })),
              "layout ngchw has its pixels innermost, the instance wants the channels there");
    EXPECT_EQ(reason(channels_whole, changed([](problem& p) { p.c = 5; })),
              "the channels of an image = 20 are not a multiple of the vector width 8: choose an instance with a "
              "narrower vector, or pad");
    EXPECT_EQ(reason(spatial_whole, changed([](problem& p) { p.image = {3, 5}, p.layout = layout::ngchw; })),
              "the pixels of an image = 15 are not a multiple of the vector width 8: choose an instance with a "
              "narrower vector, or pad");
    EXPECT_EQ(reason(channels_whole, changed([](problem& p) { p.image = {1024, 1024}; })),
              "a group of 1048576 pixels x 8 channels does not fit the 16384 elements that a block of the instance "
              "holds: choose one of a larger cluster, more steps or waves, or a streaming pass");
    // How much a block works on is the plan's own choice.
    const config apply = with(channels_whole, pass::apply);
    const std::string wide =
        reason(apply, changed([](problem& p) { p.image = {64, 64}, p.groups = 1 << 20, p.c = 512; }));
    EXPECT_TRUE(wide.starts_with("the pixels that a block works on span ")) << wide;
    EXPECT_TRUE(
        wide.ends_with(" bytes of all channels, more than the 2147483647 that a view can: choose an instance of "
                       "fewer steps, or fewer channels"))
        << wide;
    const std::string many = reason(apply, changed([](problem& p) { p.batch = 1 << 30, p.groups = 4096; }));
    EXPECT_TRUE(many.ends_with(" slabs are more than the 2147483647 blocks of a launch: split the batch")) << many;
}

} // namespace
} // namespace ck_tile::groupnorm
