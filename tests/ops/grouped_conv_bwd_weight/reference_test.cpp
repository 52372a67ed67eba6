// SPDX-License-Identifier: MIT
// The fast reference against the definition, written down once more as plainly as possible.
#include "ops/grouped_conv_bwd_weight/operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ck_tile::grouped_conv_bwd_weight
{

namespace
{

constexpr conv::layout layouts[] = {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw};

reference_values reference(conv::problem p, const std::vector<float>& in, const std::vector<float>& out)
{
    p.type = data_type::fp32; // which holds the values as they are
    harness::tensor_set set(operation::tensor_list(p));
    set["in"].set_values(in);
    set["out"].set_values(out);
    return operation::reference(p, set).front();
}

// Offset of an image's element, `pixel` being the flat index of its place.
std::int64_t offset(const conv::problem& p, std::int64_t channels, std::int64_t pixels, std::int64_t n, std::int64_t g,
                    std::int64_t pixel, std::int64_t channel)
{
    switch(p.layout)
    {
    case conv::layout::nhwgc: return ((n * pixels + pixel) * p.groups + g) * channels + channel;
    case conv::layout::gnhwc: return ((g * p.batch + n) * pixels + pixel) * channels + channel;
    case conv::layout::ngchw: return ((n * p.groups + g) * channels + channel) * pixels + pixel;
    }
    return -1;
}

conv::extents unflatten(std::int64_t index, int spatial, const auto& length)
{
    conv::extents coord{};
    for(int d = spatial; d-- > 0; index /= length(d))
        coord[d] = index % length(d);
    return coord;
}

// One weight: the sum over all images and output pixels of dY * X, where the tap falls on the input.
std::pair<double, double> one_weight(const conv::problem& p, const std::vector<float>& in,
                                     const std::vector<float>& out, std::int64_t g, std::int64_t k, std::int64_t tap,
                                     std::int64_t c)
{
    double gradient = 0, magnitude = 0;
    const conv::extents t = unflatten(tap, p.spatial, [&](int d) { return p.filter[d]; });
    for(std::int64_t n = 0; n < p.batch; ++n)
    {
        for(std::int64_t o = 0; o < p.output_pixels(); ++o)
        {
            const conv::extents at   = unflatten(o, p.spatial, [&](int d) { return p.output(d); });
            std::int64_t input_pixel = 0;
            bool in_padding          = false;
            for(int d = 0; d < p.spatial; ++d)
            {
                const std::int64_t i = at[d] * p.stride[d] + t[d] * p.dilation[d] - p.left_pad[d];
                in_padding           = in_padding || i < 0 || i >= p.input[d];
                input_pixel          = input_pixel * p.input[d] + i;
            }
            if(!in_padding)
            {
                const double term = double{out[offset(p, p.k, p.output_pixels(), n, g, o, k)]} *
                                    in[offset(p, p.c, p.input_pixels(), n, g, input_pixel, c)];
                gradient += term;
                magnitude += std::abs(term);
            }
        }
    }
    return {gradient, magnitude};
}

void expect_definition(const conv::problem& p, const std::vector<float>& in, const std::vector<float>& out)
{
    ASSERT_TRUE(conv::validate(p)) << conv::validate(p).reason();
    const reference_values found = reference(p, in, out);
    const std::int64_t taps      = p.filter_taps();
    ASSERT_EQ(std::int64_t(found.values.size()), p.groups * p.k * taps * p.c);
    ASSERT_EQ(found.magnitudes.size(), found.values.size());
    for(std::int64_t i = 0; i < std::int64_t(found.values.size()); ++i)
    {
        const bool channels_last         = p.layout != conv::layout::ngchw;
        const std::int64_t tap           = channels_last ? i / p.c % taps : i % taps;
        const std::int64_t c             = channels_last ? i % p.c : i / taps % p.c;
        const std::int64_t k             = i / (taps * p.c) % p.k;
        const std::int64_t g             = i / (taps * p.c) / p.k;
        const auto [gradient, magnitude] = one_weight(p, in, out, g, k, tap, c);
        // The orders of summation differ; NaN and infinity must be the same.
        const auto agree = [&](double actual, double expected) {
            return actual == expected || (std::isnan(actual) && std::isnan(expected)) ||
                   std::abs(actual - expected) <= 1e-12 * magnitude;
        };
        ASSERT_TRUE(agree(found.values[i], gradient) && agree(found.magnitudes[i], magnitude))
            << conv::describe(p) << ", weight " << i << ": " << found.values[i] << " of magnitude "
            << found.magnitudes[i] << " instead of " << gradient << " of magnitude " << magnitude;
    }
}

std::vector<float> random_values(std::int64_t count, std::minstd_rand& random)
{
    std::vector<float> values(count);
    for(float& value : values)
        value = static_cast<float>(random() % 2001) / 1000 - 1;
    return values;
}

conv::problem random_problem(std::minstd_rand& random)
{
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    conv::problem p{.spatial = static_cast<int>(draw(1, 3)),
                    .groups  = draw(1, 3),
                    .batch   = draw(0, 3),
                    .k       = draw(1, 19),
                    .c       = draw(1, 18)};
    for(int d = 0; d < p.spatial; ++d)
    {
        p.filter[d]                    = draw(1, 4);
        p.stride[d]                    = draw(1, 4);
        p.dilation[d]                  = draw(1, 3);
        p.left_pad[d]                  = draw(0, 4);
        p.right_pad[d]                 = draw(0, 4);
        const std::int64_t least_input = std::max<std::int64_t>(1, p.window(d) - p.left_pad[d] - p.right_pad[d]);
        p.input[d]                     = draw(least_input, least_input + (p.spatial == 1 ? 30 : 5));
    }
    return p;
}

TEST(grouped_conv_bwd_weight_reference, agrees_with_the_definition_on_random_problems)
{
    std::minstd_rand random(1);
    for(int i = 0; i < 60; ++i)
    {
        conv::problem p = random_problem(random);
        for(const conv::layout order : layouts)
        {
            p.layout                     = order;
            const std::vector<float> in  = random_values(input_shape(p).elements(), random);
            const std::vector<float> out = random_values(output_shape(p).elements(), random);
            ASSERT_NO_FATAL_FAILURE(expect_definition(p, in, out));
        }
    }
}

TEST(grouped_conv_bwd_weight_reference, sums_rows_longer_than_a_chunk)
{
    std::minstd_rand random(2);
    conv::problem p{.spatial = 1, .groups = 1, .batch = 1, .k = 5, .c = 9, .filter = {3}, .input = {3000}};
    expect_definition(p, random_values(input_shape(p).elements(), random),
                      random_values(output_shape(p).elements(), random));
    p.spatial = 2;
    p.filter  = {3, 3};
    p.input   = {40, 60};
    expect_definition(p, random_values(input_shape(p).elements(), random),
                      random_values(output_shape(p).elements(), random));
}

TEST(grouped_conv_bwd_weight_reference, an_empty_batch_has_no_gradient)
{
    for(const conv::layout order : layouts)
    {
        const conv::problem p{.spatial = 1, .groups = 2, .batch = 0, .k = 3, .c = 5, .layout = order};
        const reference_values found = reference(p, {}, {});
        EXPECT_EQ(found.values, std::vector<double>(2 * 3 * 3 * 5, 0.0));
        EXPECT_EQ(found.magnitudes, std::vector<double>(2 * 3 * 3 * 5, 0.0));
    }
}

// Padding contributes nothing, not 0 * NaN: weights whose taps leave a NaN out stay finite, the others are NaN.
TEST(grouped_conv_bwd_weight_reference, not_a_number_stays_where_it_is)
{
    std::minstd_rand random(3);
    conv::problem p{.spatial = 2, .groups = 2, .batch = 2, .k = 3, .c = 3, .filter = {3, 3}, .input = {4, 4}};
    for(const conv::layout order : layouts)
    {
        p.layout               = order;
        std::vector<float> in  = random_values(input_shape(p).elements(), random);
        std::vector<float> out = random_values(output_shape(p).elements(), random);
        out.front() = std::numeric_limits<float>::quiet_NaN(); // a corner, where most taps fall into the padding
        in.back()   = std::numeric_limits<float>::infinity();
        ASSERT_NO_FATAL_FAILURE(expect_definition(p, in, out));
        EXPECT_TRUE(std::isfinite(reference(p, in, out).values.front()));
    }
}

TEST(grouped_conv_bwd_weight_reference, repeats_bit_by_bit)
{
    std::minstd_rand random(4);
    const conv::problem p{.spatial = 2, .groups = 2, .batch = 2, .k = 40, .c = 20, .filter = {3, 3}, .input = {9, 9}};
    const std::vector<float> in  = random_values(input_shape(p).elements(), random);
    const std::vector<float> out = random_values(output_shape(p).elements(), random);
    EXPECT_EQ(reference(p, in, out).values, reference(p, in, out).values);
}

// A sum may be four times as far off as one that is made by fp32 operations one after another.
TEST(grouped_conv_bwd_weight_reference, weights_are_sums_over_pixels)
{
    const conv::problem p = {.spatial = 1, .batch = 4, .filter = {1}, .input = {9}, .left_pad = {}, .right_pad = {}};
    const tensor_info weights = operation::tensor_list(p)[2];
    EXPECT_EQ(weights.terms, 36);
    EXPECT_EQ(weights.slack, 4);
}

} // namespace

} // namespace ck_tile::grouped_conv_bwd_weight
