// SPDX-License-Identifier: MIT
// Views: stages of transforms compose, footprints of affine maps add up, and im2col views are what convolution defines.
#include "ck_tile/core/tensor_view.hpp"

#include "tests/support/im2col.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <int Guards>
multi_index<Guards> guarded(const footprint<Guards>& f)
{
    multi_index<Guards> all;
    for(int g = 0; g < Guards; ++g)
        all[g] = f.guarded[g];
    return all;
}

template <int N>
multi_index<N> random_index(random_numbers& random, const multi_index<N>& below)
{
    multi_index<N> i;
    for(int d = 0; d < N; ++d)
        i[d] = random.between(0, below[d] - 1);
    return i;
}

template <int N, class Visit>
void each_index(const multi_index<N>& lengths, Visit&& visit)
{
    for(int number = 0; number < product(lengths); ++number)
        visit(merge<N>{lengths}.map({number}));
}

TEST(TensorView, PackedStridesRunThroughMemoryOnce)
{
    const strided<3> t = packed(multi_index{4, 5, 6});
    EXPECT_EQ(t.strides, (multi_index{30, 6, 1}));
    int next = 0;
    each_index(t.lengths(), [&](const multi_index<3>& i) { EXPECT_EQ(t(i).offset, next++); });
    EXPECT_EQ((strided<2>{{3, 4}, {1, 10}}({2, 3}).offset), 32);
    static_assert(strided<2>::guards == 0 && strided<2>::affine);
}

// Each layer's place in the map: (h, w, c) seen as (c, the windows of h, w in two digits, frozen).
TEST(TensorView, StagesComposeAsByHand)
{
    random_numbers random(1);
    for(int i = 0; i < 50; ++i)
    {
        const int h = random.between(3, 9), w = 4 * random.between(1, 3), c = random.between(1, 5);
        const int left = random.between(0, 2), right = random.between(0, 2), begin = random.between(0, 1);
        const int held   = random.between(0, 1);
        const auto image = strided<4>{{2, h, w, c}, {1000, w * c + 3, c, 1}};
        const auto padded =
            transform(image, along<dims{2}, dims{1}>(pass_through{w}), along<dims{1}, dims{0}>(pad{h, left, right}),
                      along<dims{3}, dims{2}>(pass_through{c}), along<dims{0}, dims{}>(freeze{held}));
        const auto rows = padded.lengths()[0] - begin;
        const auto windows =
            transform(padded, along<dims{0}, dims{1}>(slice{begin, padded.lengths()[0]}),
                      along<dims{1}, dims{2, 3}>(unmerge<2>{{w / 4, 4}}), along<dims{2}, dims{0}>(offset{c, 0}));
        static_assert(decltype(windows)::rank == 4 && decltype(windows)::guards == 1 && decltype(windows)::affine);
        ASSERT_EQ(windows.lengths(), (multi_index{c, rows, w / 4, 4}));
        ASSERT_EQ(windows.limits(), (multi_index{h}));
        const auto both =
            transform(windows, along<dims{1, 0}, dims{0}>(merge<2>{{rows, c}}),
                      along<dims{2}, dims{2}>(pass_through{w / 4}), along<dims{3}, dims{1}>(pass_through{4}));
        static_assert(decltype(both)::rank == 3 && !decltype(both)::affine);
        ASSERT_EQ(both.lengths(), (multi_index{rows * c, 4, w / 4}));
        each_index(both.lengths(), [&](const multi_index<3>& u) {
            const int row = u[0] / c + begin - left, channel = u[0] % c, column = u[2] * 4 + u[1];
            const auto f = both(u);
            ASSERT_EQ(f.offset, held * 1000 + row * (w * c + 3) + column * c + channel);
            ASSERT_EQ(guarded(f), (multi_index{row}));
            ASSERT_EQ(exists(f, both.limits()), row >= 0 && row < h);
            ASSERT_EQ(f.offset, windows(both.lower(u)).offset);
            ASSERT_EQ(f.offset, padded(windows.lower(both.lower(u))).offset);
            ASSERT_EQ(f.offset, image(padded.lower(windows.lower(both.lower(u)))).offset);
        });
    }
}

TEST(TensorView, GuardsOfAllStagesCount)
{
    const auto once  = transform(strided<1>{{4}, {1}}, along<dims{0}, dims{0}>(pad{4, 1, 1}));
    const auto twice = transform(once, along<dims{0}, dims{0}>(pad{6, 2, 2}));
    EXPECT_EQ(twice.lengths()[0], 10);
    EXPECT_EQ(twice.limits(), (multi_index{6, 4}));
    EXPECT_EQ(guarded(twice({0})), (multi_index{-2, -3}));
    for(int u = 0; u < 10; ++u)
        EXPECT_EQ(exists(twice({u}), twice.limits()), u >= 3 && u < 7) << u;
}

// footprint(a + b) - footprint(0) is what a and b contribute, for every split of a coordinate into dimensions.
template <class Map>
void expect_footprints_add(random_numbers& random, const Map& map)
{
    static_assert(Map::affine);
    const auto origin = map({});
    for(int i = 0; i < 30; ++i)
    {
        const auto a = random_index(random, map.lengths()), b = random_index(random, map.lengths());
        const auto sum = map(a) + map(b) - origin;
        ASSERT_EQ(map(a + b).offset, sum.offset);
        ASSERT_EQ(guarded(map(a + b)), guarded(sum));
        auto added = origin;
        for(int d = 0; d < Map::rank; ++d)
        {
            multi_index<Map::rank> alone;
            alone[d] = a[d];
            added    = added + map(alone) - origin;
        }
        ASSERT_EQ(map(a).offset, added.offset);
        ASSERT_EQ(guarded(map(a)), guarded(added));
    }
}

template <int S>
void expect_im2col_is_its_definition(random_numbers& random)
{
    const im2col<S> c = random_im2col<S>(random);
    const auto view   = c.matrix(c.pixels());
    const auto limits = view.limits();
    ASSERT_EQ(view.lengths(), (multi_index{c.rows(), c.pixels()}));
    int read = 0;
    for(int row = 0; row < c.rows(); ++row)
        for(int pixel = 0; pixel < c.pixels(); ++pixel)
        {
            const auto f        = view({row, pixel});
            const auto expected = c.place_of(row, pixel);
            ASSERT_EQ(exists(f, limits), expected.has_value()) << "row " << row << " pixel " << pixel;
            if(!expected)
                continue;
            ASSERT_EQ(f.offset, *expected) << "row " << row << " pixel " << pixel;
            ASSERT_LT(f.offset, c.elements());
            ++read;
        }
    ASSERT_LE(read, c.rows() * c.pixels());
    expect_footprints_add(random, c.windows().padded());
    expect_footprints_add(random, c.windows().chain());
}

TEST(TensorView, Im2colIsTheDefinitionOfConvolution1d)
{
    random_numbers random(10);
    for(int i = 0; i < 200 && !testing::Test::HasFatalFailure(); ++i)
        expect_im2col_is_its_definition<1>(random);
}

TEST(TensorView, Im2colIsTheDefinitionOfConvolution2d)
{
    random_numbers random(11);
    for(int i = 0; i < 100 && !testing::Test::HasFatalFailure(); ++i)
        expect_im2col_is_its_definition<2>(random);
}

TEST(TensorView, Im2colIsTheDefinitionOfConvolution3d)
{
    random_numbers random(12);
    for(int i = 0; i < 40 && !testing::Test::HasFatalFailure(); ++i)
        expect_im2col_is_its_definition<3>(random);
}

// A convolution that anyone can check by eye: 3 taps at stride 2 over 0 a b c d 0.
TEST(TensorView, Im2colByEye)
{
    const im2col<1> c   = {.images   = 1,
                           .channels = 1,
                           .input    = {4},
                           .filter   = {3},
                           .stride   = {2},
                           .dilation = {1},
                           .left     = {1},
                           .right    = {1},
                           .strides  = {4, 1, 1}};
    const char memory[] = "abcd";
    const auto view     = c.matrix(c.pixels());
    std::string seen;
    for(int pixel = 0; pixel < c.pixels(); ++pixel)
        for(int tap = 0; tap < 3; ++tap)
        {
            const auto f = view({tap, pixel});
            seen += exists(f, view.limits()) ? memory[f.offset] : '0';
        }
    EXPECT_EQ(seen, "0ab"
                    "bcd");
}

TEST(TensorView, IsAConstantWhereItsLengthsAre)
{
    constexpr auto padded = transform(strided<2>{{3, 4}, {4, 1}}, along<dims{0}, dims{0}>(pad{3, 1, 1}),
                                      along<dims{1}, dims{1}>(pass_through{4}));
    static_assert(padded({2, 3}).offset == 7);
    static_assert(exists(padded({2, 3}), padded.limits()));
    static_assert(!exists(padded({0, 3}), padded.limits()));
    static_assert(!exists(padded({4, 3}), padded.limits()));
}

} // namespace
} // namespace ck_tile
