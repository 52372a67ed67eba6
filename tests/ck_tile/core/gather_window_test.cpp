// SPDX-License-Identifier: MIT
// Gather windows: what they load is what the definition of a convolution says, wherever they stand and however far they have moved.
#include "ck_tile/core/gather_window.hpp"

#include "ck_tile/verbs/load_store.hpp"
#include "tests/support/im2col.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

namespace ck_tile
{
namespace
{

// Columns apart, one by one and in vectors; rows of a thread apart and side by side.
constexpr distribution apart = {
    .lengths = {32, 8}, .wave = {{2, 0, 16}}, .lane = {{4, 1, 1}, {16, 0, 1}}, .reg = {{2, 1, 4}}, .vec = {}};
constexpr distribution vectors = {
    .lengths = {32, 16}, .wave = {}, .lane = {{2, 1, 4}, {8, 0, 4}}, .reg = {{2, 1, 8}, {4, 0, 1}}, .vec = {{4, 1, 1}}};

// Loads a tile after the other, from somewhere on to behind the last column.
template <distribution D, int S>
void expect_loads(const im2col<S>& c, random_numbers& random)
{
    const int end       = random.between(1, c.pixels());
    const int step      = D.length(1) * random.between(1, 2);
    multi_index<2> from = {random.between(0, end - 1), random.between(0, (c.rows() - 1) / D.vecs()) * D.vecs()};
    const auto memory   = numbered(c.elements());
    auto x = make_gather_window<D>(tensor_view{memory.data(), c.elements(), c.windows().positions_by_taps(end)}, from);
    for(; from[1] < c.rows() + step; from[1] += step)
    {
        each_element(load(x), [&](const multi_index<3>& at, float value) {
            const int pixel = from[0] + at[0], column = from[1] + at[1];
            const auto coord = pixel < end && column < c.rows() ? c.place_of(column, pixel) : std::nullopt;
            ASSERT_EQ(value, coord ? memory[static_cast<std::size_t>(*coord)] : 0.f)
                << "pixel " << pixel << " of " << end << ", column " << column << " of " << c.rows();
        });
        if(testing::Test::HasFatalFailure())
            return;
        x.move(x.template step<1>(step));
    }
}

template <distribution D, int S>
void expect_random_im2col_loads(std::uint32_t seed, int problems)
{
    random_numbers random(seed);
    for(int i = 0; i < problems && !testing::Test::HasFatalFailure(); ++i)
    {
        im2col<S> c = random_im2col<S>(random);
        if(D.vecs() > 1)
        {
            c.channels = D.vecs() * random.between(1, 3);
            c.strides  = packed_strides(c.memory_lengths());
        }
        expect_loads<D>(c, random);
    }
}

TEST(GatherWindow, OverIm2colViews)
{
    expect_random_im2col_loads<apart, 1>(50, 60);
    expect_random_im2col_loads<apart, 2>(51, 40);
    expect_random_im2col_loads<apart, 3>(52, 15);
}

TEST(GatherWindow, VectorsOfChannels)
{
    expect_random_im2col_loads<vectors, 1>(53, 60);
    expect_random_im2col_loads<vectors, 2>(54, 40);
    expect_random_im2col_loads<vectors, 3>(55, 15);
}

// Along one dimension there may be more taps than a row has bits.
TEST(GatherWindow, FiltersOfManyTaps)
{
    random_numbers random(57);
    for(int i = 0; i < 24 && !testing::Test::HasFatalFailure(); ++i)
    {
        im2col<1> c;
        c.images   = random.between(1, 3);
        c.channels = 4 * random.between(1, 2);
        c.filter   = {random.between(31, 90)};
        c.stride   = {random.between(1, 3)};
        c.dilation = {random.between(1, 3)};
        c.left     = {random.between(0, 70)};
        c.right    = {random.between(0, 2)};
        c.input    = {std::max(1, (c.filter[0] - 1) * c.dilation[0] + 1 - c.left[0]) + random.between(0, 9)};
        c.strides  = packed_strides(c.memory_lengths());
        expect_loads<vectors>(c, random);
    }
}

// Weights as backward data sees them: columns run through a tap's output channels, of which a thread has four.
TEST(GatherWindow, RunsOfColumns)
{
    constexpr distribution runs = {.lengths = {16, 32},
                                   .wave    = {},
                                   .lane    = {{4, 0, 4}, {4, 1, 4}},
                                   .reg     = {{4, 1, 1}, {2, 1, 16}},
                                   .vec     = {{4, 0, 1}}};
    random_numbers random(56);
    for(int i = 0; i < 40; ++i)
    {
        const int taps = random.between(1, 5), channels = 4 * random.between(1, 6), rows = 4 * random.between(1, 8);
        const auto memory   = numbered(channels * taps * rows); // [channel, tap, row]
        const auto map      = transform(strided<3>{{rows, taps, channels}, {1, rows, taps * rows}},
                                        along<dims{0}, dims{0}>(pass_through{rows}),
                                        along<dims{1, 2}, dims{1}>(merge<2>{{taps, channels}}));
        multi_index<2> from = {4 * random.between(0, rows / 4 - 1), 4 * random.between(0, channels / 4)};
        auto x = make_gather_window<runs, 4>(tensor_view{memory.data(), channels * taps * rows, map}, from);
        for(; from[1] < taps * channels + 32; from[1] += 32)
        {
            each_element(load(x), [&](const multi_index<3>& at, float value) {
                const int row = from[0] + at[0], column = from[1] + at[1];
                float expected = 0;
                if(row < rows && column < taps * channels)
                    expected = static_cast<float>((column % channels * taps + column / channels) * rows + row + 1);
                ASSERT_EQ(value, expected) << row << ", " << column;
            });
            x.move(x.template step<1>(32));
        }
    }
}

} // namespace
} // namespace ck_tile
