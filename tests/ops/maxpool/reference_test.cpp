// SPDX-License-Identifier: MIT
// The references against examples worked by hand: ties, NaNs, -inf, padding, indices in every form.
#include "ops/maxpool/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ck_tile::maxpool
{
namespace
{

constexpr float infinity = std::numeric_limits<float>::infinity();

// One row of windows of 3 with stride 2 and a pad of 1 on each side: over elements {., 0, 1}, {1, 2, 3}, {3, 4, .}.
problem row_of_five()
{
    return {{.window = {1, 3}, .input = {1, 5}, .stride = {1, 2}, .left_pad = {0, 1}, .right_pad = {0, 1}}};
}

TEST(MaxpoolReference, FirstOfEqualMaximaCountsAndTheLastNaN)
{
    const problem p = row_of_five();
    EXPECT_EQ(reference_maxima(p, {1, 2, 3, 4, 5}).indices, (std::vector<std::int64_t>{1, 3, 4}));
    EXPECT_EQ(reference_maxima(p, {7, 7, 7, 7, 7}).indices, (std::vector<std::int64_t>{0, 1, 3}));
    const maxima nans = reference_maxima(p, {NAN, 9, NAN, NAN, 9});
    EXPECT_EQ(nans.indices, (std::vector<std::int64_t>{0, 3, 3}));
    EXPECT_TRUE(std::isnan(nans.values[0]) && std::isnan(nans.values[1]) && std::isnan(nans.values[2]));
    const maxima nothing = reference_maxima(p, std::vector<float>(5, -infinity));
    EXPECT_EQ(nothing.indices, (std::vector<std::int64_t>{0, 1, 3})); // the first that is no padding
    EXPECT_EQ(nothing.values, std::vector<float>(3, -infinity));
}

TEST(MaxpoolReference, GradientsAddUpWhereTheMaximumIs)
{
    const problem p = row_of_five();
    const auto sums = reference_backward(p, {1, -2, 4}, {1, 1, 3});
    EXPECT_EQ(sums.values, (std::vector<double>{0, -1, 0, 4, 0}));
    EXPECT_EQ(sums.magnitudes, (std::vector<double>{0, 3, 0, 4, 0}));
}

TEST(MaxpoolReference, LayoutsHoldTheSame)
{
    problem p = {{.batch = 2, .channels = 2, .window = {2, 2}, .input = {2, 3}}};
    std::vector<float> nchw, nhwc(24);
    for(int i = 0; i < 24; ++i)
        nchw.push_back(static_cast<float>(i * 7 % 24));
    for(int n = 0; n < 2; ++n)
        for(int c = 0; c < 2; ++c)
            for(int pixel = 0; pixel < 6; ++pixel)
                nhwc[std::size_t((n * 6 + pixel) * 2 + c)] = nchw[std::size_t((n * 2 + c) * 6 + pixel)];
    const maxima last  = reference_maxima(p, nhwc);
    p.layout           = layout::nchw;
    const maxima first = reference_maxima(p, nchw);
    for(int n = 0; n < 2; ++n)
        for(int c = 0; c < 2; ++c)
            for(int pixel = 0; pixel < 2; ++pixel)
            {
                const std::size_t a = std::size_t((n * 2 + pixel) * 2 + c), b = std::size_t((n * 2 + c) * 2 + pixel);
                EXPECT_EQ(last.values[a], first.values[b]);
                EXPECT_EQ(last.indices[a], first.indices[b]);
            }
}

TEST(MaxpoolReference, IndicesInEveryForm)
{
    problem p                            = row_of_five();
    const std::vector<std::int64_t> flat = {0, 3, 4};
    EXPECT_EQ(encode_indices(p, flat), (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{1}}));
    for(indices kind : {indices::u8, indices::int32, indices::int64})
    {
        p.indices = kind;
        EXPECT_EQ(encode_indices(p, flat).size(), std::size_t(3 * bytes_of(kind)));
        EXPECT_EQ(decode_indices(p, encode_indices(p, flat)), flat);
    }
    EXPECT_TRUE(check_indices(p, flat));
    for(const auto& [wrong, element] :
        {std::pair{std::vector<std::int64_t>{-1, 3, 4}, 0}, {{0, 4, 4}, 1}, {{0, 3, 5}, 2}})
        EXPECT_EQ(check_indices(p, wrong).reason(),
                  "every index must be an element of its window in the input, but element " + std::to_string(element) +
                      " is not (" + std::to_string(wrong[std::size_t(element)]) +
                      " as a flat index): take the indices of the forward pass of this problem");
}

} // namespace
} // namespace ck_tile::maxpool
