// SPDX-License-Identifier: MIT
// Regions of convolutions of few channels per group, by brute force: each pixel is in one, and what its windows see is in the region's halo,
// which LDS has room for; and where the pixels of a halo's row lie there.
#include "ops/grouped_conv/regions.hpp"

#include "tests/support/convolutions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace ck_tile::conv
{
namespace
{

region_limits random_limits(random_numbers& random)
{
    const int at_once = 1 << random.between(0, 4);
    return {.made    = random.between(0, 1) ? direction::forward : direction::backward_weight,
            .patch   = {random.between(1, 8), 1 << random.between(0, 4)},
            .patches = at_once * random.between(1, 3),
            .at_once = at_once,
            .halo    = 32 * random.between(1, 40),
            .taps    = 1 << random.between(0, 2)};
}

// Of the windows of all pixels of a region, the last lines along a dimension of a plane; products take whole `taps`.
int last_line(const region_grid& g, int d, int taps)
{
    const region_shape& s = g.shape;
    const int pixels = (d == 0 ? s.rows : s.cols).divisor * g.patch[d], seen = ceil_div(s.window[d], taps) * taps;
    return (pixels - 1) * s.stride[d] + (seen - 1) * s.dilation[d];
}

void expect_regions_right(const region_limits& l, const problem& p, const regions& some)
{
    const region_grid g   = grid_of(l, p, some);
    const region_shape& s = g.shape;
    ASSERT_LE(s.patches(), l.patches);
    ASSERT_EQ(s.halo(), some.halo);
    ASSERT_LE(s.halo(), l.halo);
    ASSERT_EQ(some.count, g.order.end);
    EXPECT_LT(last_line(g, 0, 1), s.halo_rows.divisor);
    EXPECT_LT(last_line(g, 1, l.taps), s.halo_cols.divisor);
    EXPECT_GE(halo_of_patch(l, p), l.taps) << "a product sees as many pixels";

    const multi_index<2> output = output_of(p);
    std::set<std::array<int, 3>> made; // plane, of all images, row, column
    for(int number = 0; number < g.order.end; ++number)
    {
        const region_grid::coord here = p.spatial == 3 ? g.at<true>(number) : g.at<false>(number);
        for(int patch = 0; patch < s.patches(); ++patch)
        {
            const int line = patch / s.cols.divisor, plane = line / s.rows.divisor;
            const multi_index<2> first = {here.pixel[0] + line % s.rows.divisor * g.patch[0],
                                          here.pixel[1] + patch % s.cols.divisor * g.patch[1]};
            // Where the halo lies, and where in it the patch's first pixel sees its first line, are of the same window.
            const int input = s.first_input(patch) - plane * s.next_plane * s.halo_cols.divisor;
            for(int d = 0; d < 2; ++d)
                EXPECT_EQ(here.halo[d] + (d == 0 ? input / s.halo_cols.divisor : input % s.halo_cols.divisor),
                          first[d] * s.stride[d] - last_two(p, p.left_pad, 0)[d]);
            for(int y = first[0]; y < std::min(first[0] + g.patch[0], output[0]); ++y)
                for(int x = first[1]; x < std::min(first[1] + g.patch[1], output[1]) && plane < here.made.count; ++x)
                    EXPECT_TRUE(made.insert(std::array{here.made.first + plane, y, x}).second)
                        << "a pixel of two regions";
        }
    }
    EXPECT_EQ(static_cast<std::int64_t>(made.size()), p.batch * p.output_pixels());
}

TEST(Regions, HaveEachPixelOnceAndWhatItsWindowsSee)
{
    random_numbers random(24);
    int found = 0;
    for(int i = 0; i < 400; ++i)
    {
        SCOPED_TRACE(i);
        const region_limits l = random_limits(random);
        const problem p       = random_problem(random);
        const regions some    = choose_regions(l, p);
        const bool fits       = halo_of_patch(l, p) <= l.halo;
        ASSERT_EQ(static_cast<bool>(some), fits && p.batch > 0) << describe(p);
        found += static_cast<bool>(some);
        if(some)
            ASSERT_NO_FATAL_FAILURE(expect_regions_right(l, p, some)) << describe(p);
    }
    EXPECT_GT(found, 200) << "most of those that are drawn have regions";
}

// A product of 4 taps of a 3x3 window sees a pixel more than the window.
TEST(Regions, SeeWholeProducts)
{
    const problem p = {.spatial = 2, .filter = {3, 3}, .input = {16, 16}, .stride = {2, 2}};
    region_limits l = {.made = direction::forward, .patch = {4, 8}, .patches = 1, .at_once = 1, .halo = 1024};
    EXPECT_EQ(halo_of_patch(l, p), 9 * 17);
    l.taps = 4;
    EXPECT_EQ(halo_of_patch(l, p), 9 * 18);
    EXPECT_EQ(choose_regions(l, p).halo, 9 * 18);
}

template <int Classes>
void expect_row_in_place(int cols)
{
    region_shape s = {};
    s.halo_cols    = cols;
    std::set<int> slots;
    for(int x = 0; x < cols; ++x)
    {
        const int slot = s.slot_of<Classes>(static_cast<unsigned>(x));
        EXPECT_EQ(s.pixel_in<Classes>(slot), x);
        EXPECT_LT(slot, cols);
        slots.insert(slot);
        if(x + Classes < cols)
            EXPECT_EQ(s.slot_of<Classes>(static_cast<unsigned>(x + Classes)), slot + 1) << "of the same class";
    }
    EXPECT_EQ(static_cast<int>(slots.size()), cols);
}

TEST(Regions, HaveThePixelsOfARowClassByClass)
{
    for(int cols = 1; cols < 40; ++cols)
        expect_row_in_place<1>(cols), expect_row_in_place<2>(cols);
}

} // namespace
} // namespace ck_tile::conv
