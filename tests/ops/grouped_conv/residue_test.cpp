// SPDX-License-Identifier: MIT
// Residue classes against the definition: every input, output and tap of one dimension that meet, by brute force.
#include "ops/grouped_conv/residue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace ck_tile::conv
{
namespace
{

using meeting = std::tuple<int, int, int>; // input, output, tap

// What meets by the definition, and what the classes say; each input is in one class, once.
void expect_classes_right(const dimension& d, int output)
{
    std::set<meeting> expected, found;
    for(int o = 0; o < output; ++o)
        for(int y = 0; y < d.filter; ++y)
            if(const int h = o * d.stride + y * d.dilation - d.left_pad; h >= 0 && h < d.input)
                expected.insert({h, o, y});
    std::multiset<int> inputs;
    const residues classes = d;
    ASSERT_EQ(classes.count(), d.stride);
    for(int i = 0, r = 0, most = d.filter; i < classes.count(); ++i)
    {
        const residue c = classes[i];
        ASSERT_LE(c.taps, most) << "those with most taps come first";
        ASSERT_LE(c.positions, classes.positions[0].divisor);
        if(c.positions > 0)
            ASSERT_EQ(c.by_positions.divisor, c.positions);
        if(c.taps > 0)
            ASSERT_EQ(c.by_taps.divisor, c.taps);
        most = c.taps;
        if(c.taps > 0)
            ASSERT_LT(i, classes.with_taps());
        for(int q = 0; q < c.positions; ++q)
        {
            const int h = c.first_input + q * d.stride;
            if(q == 0)
                r = (h + d.left_pad) % d.stride;
            ASSERT_TRUE(h >= 0 && h < d.input && (h + d.left_pad) % d.stride == r);
            inputs.insert(h);
            for(int t = 0; t < c.taps; ++t)
            {
                const int o = c.first_output + q - t * c.output_step, y = c.first_tap + t * c.tap_step;
                ASSERT_TRUE(y >= 0 && y < d.filter);
                ASSERT_EQ(h + d.left_pad, o * d.stride + y * d.dilation);
                if(o >= 0 && o < output)
                    ASSERT_TRUE(found.insert({h, o, y}).second) << "counted twice";
            }
        }
    }
    EXPECT_EQ(found, expected);
    ASSERT_EQ(static_cast<int>(inputs.size()), d.input);
    for(int h = 0; h < d.input; ++h)
        ASSERT_EQ(inputs.count(h), 1u);
}

// Strides up to 8, dilations that share a divisor with them, filters shorter than the stride, inputs behind the last window.
TEST(Residue, ClassesAreWhatMeets)
{
    int problems = 0;
    for(int stride = 1; stride <= 8; ++stride)
        for(int dilation = 1; dilation <= 4; ++dilation)
            for(int filter = 1; filter <= 5; ++filter)
                for(int left : {0, 1, 3, 9})
                    for(int right : {0, 2})
                        for(int input : {1, 2, 7, 20})
                        {
                            const int room = input + left + right - (filter - 1) * dilation - 1;
                            if(room < 0)
                                continue;
                            SCOPED_TRACE(testing::Message()
                                         << "stride " << stride << " dilation " << dilation << " filter " << filter
                                         << " pads " << left << ", " << right << " input " << input);
                            expect_classes_right({input, filter, stride, dilation, left}, room / stride + 1);
                            ++problems;
                        }
    EXPECT_GT(problems, 3000);
}

TEST(Residue, ClassesWithoutTaps)
{
    EXPECT_EQ(residues({.input = 7, .filter = 1, .stride = 2, .dilation = 1, .left_pad = 0})[1].taps, 0);
    EXPECT_EQ(residues({.input = 9, .filter = 3, .stride = 4, .dilation = 2, .left_pad = 1})[2].taps, 0);
    const residue_class<2> both = {residues({7, 3, 2, 1, 1})[1], residues({8, 3, 2, 1, 1})[0]};
    EXPECT_EQ(both.taps(), 2);
    EXPECT_EQ(both.positions(), 16);
}

} // namespace
} // namespace ck_tile::conv
