// SPDX-License-Identifier: MIT
// Lookup windows: what they load is what the definition of a convolution says, wherever they stand and however far they
// have moved.
#include "ck_tile/core/lookup_window.hpp"

#include "ck_tile/verbs/load_store.hpp"
#include "tests/support/im2col.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

// Positions of a thread apart, side by side (four and two), and in vectors; few threads and many; rows in vectors.
constexpr distribution apart = {
    .lengths = {16, 32}, .wave = {}, .lane = {{16, 1, 1}, {4, 0, 1}}, .reg = {{2, 1, 16}, {4, 0, 4}}, .vec = {}};
constexpr distribution side_by_side = {
    .lengths = {64, 16}, .wave = {{4, 0, 16}}, .lane = {{16, 0, 1}, {4, 1, 4}}, .reg = {{4, 1, 1}}, .vec = {}};
constexpr distribution pairs = {
    .lengths = {40, 32}, .wave = {}, .lane = {{2, 0, 20}, {16, 1, 2}}, .reg = {{2, 1, 1}, {20, 0, 1}}, .vec = {}};
constexpr distribution row_vectors = {
    .lengths = {32, 32}, .wave = {{2, 1, 16}}, .lane = {{8, 0, 4}, {4, 1, 4}}, .reg = {{4, 1, 1}}, .vec = {{4, 0, 1}}};

// A table in LDS, full of rubbish at the start.
template <distribution D, int Classes>
std::vector<unsigned> room()
{
    return std::vector<unsigned>(lookup_table(D, Classes).bytes() / 4 + 4, 0x01234567u);
}

template <distribution D, int S, class Map>
void expect_im2col_loads(const im2col<S>& c, const Map& matrix, int end, multi_index<2> origin, int step)
{
    constexpr int classes = D.length(0) / (D.vector_dim() == 0 ? D.vecs() : 1);
    const auto memory     = numbered(c.elements());
    auto lds              = room<D, classes>();
    auto* table           = lds.data();
    while(reinterpret_cast<std::uintptr_t>(table) % 16 != 0)
        ++table;
    auto x = make_lookup_window<D, classes>(tensor_view{memory.data(), c.elements(), matrix}, origin, table);
    x.look_ahead();
    for(int moved = 0; origin[1] < end + 64; moved += step, origin[1] += step)
    {
        if(moved % x.positions == 0)
            x.look_ahead();
        each_element(load(x), [&](const multi_index<3>& at, float value) {
            const int row = origin[0] + at[0], pixel = origin[1] + at[1];
            const auto coord = row < c.rows() && pixel < end ? c.place_of(row, pixel) : std::nullopt;
            ASSERT_EQ(value, coord ? memory[static_cast<std::size_t>(*coord)] : 0.f)
                << "row " << row << " pixel " << pixel << " of " << end;
        });
        if(testing::Test::HasFatalFailure())
            return;
        x.move(x.template step<1>(step));
    }
}

template <distribution D, int S>
void expect_random_im2col_loads(std::uint32_t seed, int problems, int channel_multiple = 1)
{
    random_numbers random(seed);
    for(int i = 0; i < problems && !testing::Test::HasFatalFailure(); ++i)
    {
        im2col<S> c = random_im2col<S>(random);
        if(channel_multiple > 1)
        {
            c.channels = channel_multiple * random.between(1, 3);
            c.strides  = packed_strides(c.memory_lengths());
        }
        const int end               = random.between(1, c.pixels());
        const multi_index<2> origin = {random.between(0, (c.rows() - 1) / channel_multiple) * channel_multiple,
                                       random.between(0, end - 1)};
        expect_im2col_loads<D>(c, c.matrix(end), end, origin, D.length(1) * random.between(1, 2));
    }
}

TEST(LookupWindow, OverIm2colViews1d)
{
    expect_random_im2col_loads<apart, 1>(30, 60);
    expect_random_im2col_loads<side_by_side, 1>(31, 60);
    expect_random_im2col_loads<pairs, 1>(32, 60);
}

TEST(LookupWindow, OverIm2colViews2d)
{
    expect_random_im2col_loads<apart, 2>(33, 40);
    expect_random_im2col_loads<side_by_side, 2>(34, 40);
    expect_random_im2col_loads<pairs, 2>(35, 40);
}

TEST(LookupWindow, OverIm2colViews3d)
{
    expect_random_im2col_loads<apart, 3>(36, 15);
    expect_random_im2col_loads<side_by_side, 3>(37, 15);
    expect_random_im2col_loads<pairs, 3>(38, 15);
}

TEST(LookupWindow, VectorsOfChannels)
{
    expect_random_im2col_loads<row_vectors, 2>(39, 40, 4);
    expect_random_im2col_loads<row_vectors, 3>(40, 15, 4);
}

// Channels outermost: the rows of a tile run through all taps again and again.
TEST(LookupWindow, TapsInnermost)
{
    random_numbers random(41);
    for(int i = 0; i < 40 && !HasFatalFailure(); ++i)
    {
        im2col<2> c       = random_im2col<2>(random);
        const auto out    = c.output();
        const int end     = c.pixels();
        const auto rows   = merge<3>{{c.channels, c.filter[0], c.filter[1]}};
        const auto map    = transform(c.windows().chain(), along<dims{5, 3, 4}, dims{0}>(rows),
                                      along<dims{0, 1, 2}, dims{1}>(merge<3>{{c.images, out[0], out[1]}, end}));
        const auto memory = numbered(c.elements());
        alignas(16) unsigned table[lookup_table(side_by_side, 64).bytes() / 4];
        const multi_index<2> origin = {random.between(0, c.rows() - 1), 0};
        auto x = make_lookup_window<side_by_side, 64>(tensor_view{memory.data(), c.elements(), map}, origin, table);
        x.look_ahead();
        each_element(load(x), [&](const multi_index<3>& at, float value) {
            const int row = origin[0] + at[0], taps = c.filter[0] * c.filter[1];
            float expected = 0;
            if(row < c.rows() && at[1] < end)
                if(const auto coord = c.place_of(row % taps * c.channels + row / taps, at[1]))
                    expected = memory[static_cast<std::size_t>(*coord)];
            ASSERT_EQ(value, expected) << "row " << row << " pixel " << at[1];
        });
    }
}

// Rows that no guard depends on are one class, and positions end where the view says.
TEST(LookupWindow, WithoutGuards)
{
    const auto memory = numbered(4000);
    const auto images = strided<3>{{40, 3, 20}, {1, 1000, 45}};
    const auto map =
        transform(images, along<dims{0}, dims{0}>(pass_through{40}), along<dims{1, 2}, dims{1}>(merge<2>{{3, 20}, 50}));
    alignas(16) unsigned table[lookup_table(side_by_side, 1).bytes() / 4];
    auto x = make_lookup_window<side_by_side, 1>(tensor_view{memory.data(), 4000, map}, multi_index{0, 0}, table);
    x.look_ahead();
    for(int origin = 0; origin < 64; origin += 16, x.move(16))
        each_element(load(x), [&](const multi_index<3>& at, float value) {
            const int position = origin + at[1];
            const bool there   = at[0] < 40 && position < 50;
            ASSERT_EQ(value,
                      there ? memory[static_cast<std::size_t>(at[0] + position / 20 * 1000 + position % 20 * 45)] : 0.f)
                << at[0] << ", " << position;
        });
}

TEST(LookupWindow, TableHoldsTwoStepsAndABitPerClass)
{
    constexpr lookup_table few(side_by_side, 1), many(side_by_side, 64), wide(row_vectors, 33);
    EXPECT_EQ(few.words, 1);
    EXPECT_EQ(many.words, 2);
    EXPECT_EQ(wide.words, 2);
    for(const lookup_table& t : {few, many})
        EXPECT_GE(t.positions, 2 * side_by_side.length(1));
    EXPECT_EQ(few.positions, side_by_side.threads());
    EXPECT_EQ(many.bytes(), 2 * many.positions * 3 * 4);
}

} // namespace
} // namespace ck_tile
