// SPDX-License-Identifier: MIT
// The laws of the coordinate transforms: inverses, carrying instead of dividing, affinity, permutation.
#include "ck_tile/core/transforms.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <int N>
multi_index<N> random_index(random_numbers& random, int low, int high)
{
    multi_index<N> i;
    for(int d = 0; d < N; ++d)
        i[d] = random.between(low, high);
    return i;
}

// Numbers as the definition of mixed radix counts them: by adding one, over and over.
template <int N>
void count_up(multi_index<N>& digits, const multi_index<N>& extents)
{
    for(int d = N - 1; d > 0; --d)
    {
        if(++digits[d] < extents[d])
            return;
        digits[d] = 0;
    }
    ++digits[0];
}

template <int N>
void expect_merge_and_unmerge_invert_each_other(random_numbers& random)
{
    const multi_index<N> extents = random_index<N>(random, 1, 7);
    const merge<N> together      = {extents};
    const unmerge<N> apart       = {extents};
    ASSERT_EQ(together.lengths()[0], product(extents));
    ASSERT_EQ(apart.lengths(), extents);
    multi_index<N> digits;
    for(int number = 0; number < product(extents); ++number, count_up(digits, extents))
    {
        ASSERT_EQ(together.map({number}), digits) << "number " << number;
        ASSERT_EQ(apart.map(digits)[0], number);
    }
}

TEST(Transforms, MergeAndUnmergeInvertEachOther)
{
    random_numbers random(1);
    for(int i = 0; i < 50; ++i)
    {
        expect_merge_and_unmerge_invert_each_other<1>(random);
        expect_merge_and_unmerge_invert_each_other<2>(random);
        expect_merge_and_unmerge_invert_each_other<3>(random);
        expect_merge_and_unmerge_invert_each_other<4>(random);
    }
}

TEST(Transforms, MergeMayEndEarly)
{
    const merge<3> m = {{2, 3, 4}, 17};
    EXPECT_EQ(m.lengths()[0], 17);
    EXPECT_EQ(m.map({16}), (multi_index{1, 1, 0}));
    EXPECT_EQ(m.map({24}), (multi_index{2, 0, 0})) << "past the product, the first digit runs on";
}

// Advancing from digits to digits is adding numbers, also past the end, where the first digit runs on.
template <int N>
void expect_advance_adds(random_numbers& random)
{
    const multi_index<N> extents = random_index<N>(random, 1, 9);
    const merge<N> m             = {extents, random.between(1, product(extents))};
    for(int i = 0; i < 20; ++i)
    {
        int number            = random.between(0, 2 * product(extents));
        const int by          = random.between(0, 2 * product(extents));
        const auto step       = m.map({by});
        multi_index<N> digits = m.map({number});
        for(int moves = 0; moves < 10; ++moves)
        {
            digits = m.advance(digits, step);
            number += by;
            ASSERT_EQ(digits, m.map({number})) << "after " << moves + 1 << " steps of " << by << " to " << number;
        }
    }
}

TEST(Transforms, AdvanceOfMergeIsAddition)
{
    random_numbers random(2);
    for(int i = 0; i < 50; ++i)
    {
        expect_advance_adds<1>(random);
        expect_advance_adds<2>(random);
        expect_advance_adds<3>(random);
        expect_advance_adds<4>(random);
    }
}

TEST(Transforms, AreWhatTheyAreDefinedToBe)
{
    random_numbers random(3);
    for(int i = 0; i < 100; ++i)
    {
        const int length = random.between(1, 50), left = random.between(0, 5), right = random.between(0, 5);
        const int u = random.between(0, length - 1);

        EXPECT_EQ(pass_through{length}.lengths()[0], length);
        EXPECT_EQ(pass_through{length}.map({u})[0], u);

        const pad padded = {length, left, right};
        EXPECT_EQ(padded.lengths()[0], left + length + right);
        EXPECT_EQ(padded.limit(), length);
        EXPECT_EQ(padded.map({left})[0], 0);
        EXPECT_EQ(padded.map({left + u})[0], u);
        EXPECT_EQ(padded.map({0})[0], -left);

        const slice sliced = {left, left + length};
        EXPECT_EQ(sliced.lengths()[0], length);
        EXPECT_EQ(sliced.map({u})[0], left + u);

        const offset moved = {length, right - 2};
        EXPECT_EQ(moved.lengths()[0], length);
        EXPECT_EQ(moved.map({u})[0], u + right - 2);

        const embed<3> strides = {{length, 3, 4}, {100, left, -right}};
        EXPECT_EQ(strides.lengths(), (multi_index{length, 3, 4}));
        EXPECT_EQ(strides.map({u, 2, 3})[0], 100 * u + 2 * left - 3 * right);

        EXPECT_EQ(freeze{u}.map({})[0], u);
    }
    EXPECT_TRUE(pad::guarded);
    EXPECT_FALSE(pass_through::guarded || slice::guarded || offset::guarded || embed<2>::guarded || merge<2>::guarded ||
                 unmerge<2>::guarded || permute_banks::guarded || freeze::guarded);
}

// map(a + b) = map(a) + map(b) - map(0), also outside of the lengths.
template <class Transform>
void expect_affine(random_numbers& random, const Transform& t)
{
    static_assert(Transform::affine);
    for(int i = 0; i < 50; ++i)
    {
        const auto a = random_index<Transform::upper>(random, -100, 100);
        const auto b = random_index<Transform::upper>(random, -100, 100);
        ASSERT_EQ(t.map(a + b), t.map(a) + t.map(b) - t.map({}));
    }
}

TEST(Transforms, AffineOnesAdd)
{
    random_numbers random(4);
    for(int i = 0; i < 20; ++i)
    {
        const int n = random.between(1, 30);
        expect_affine(random, pass_through{n});
        expect_affine(random, pad{n, random.between(0, 4), random.between(0, 4)});
        expect_affine(random, slice{random.between(0, 4), n + 4});
        expect_affine(random, offset{n, random.between(-9, 9)});
        expect_affine(random, embed<1>{{n}, {random.between(-9, 9)}});
        expect_affine(random, embed<3>{random_index<3>(random, 1, 9), random_index<3>(random, -9, 9)});
        expect_affine(random, unmerge<3>{random_index<3>(random, 1, 9)});
        expect_affine(random, freeze{n});
    }
    // A merge of one dimension is a renaming; of more it is not affine, and says so.
    static_assert(merge<1>::affine && !merge<2>::affine && !permute_banks::affine);
    const merge<2> m = {{4, 3}};
    EXPECT_NE(m.map({2 + 2}), m.map({2}) + m.map({2}) - m.map({0}));
}

// With keys 1, 2 and 4 a chunk's number xor the line's.
TEST(Transforms, PermuteBanksByTheLinesNumberPermutesEachLineAndInvertsItself)
{
    for(int chunk : {1, 2, 4, 8})
    {
        const int line        = 8 * chunk;
        const permute_banks x = {70 * line, chunk, {{1, 2, 4}}};
        ASSERT_EQ(x.lengths(), (multi_index{70 * line}));
        for(int row = 0; row < 70; ++row)
        {
            std::vector<bool> hit(static_cast<std::size_t>(line));
            for(int col = 0; col < line; ++col)
            {
                const auto to = x.map({row * line + col});
                ASSERT_EQ(to[0] / line, row);
                const int to_col = to[0] % line;
                ASSERT_FALSE(hit[static_cast<std::size_t>(to_col)]) << "row " << row << " column " << col;
                hit[static_cast<std::size_t>(to_col)] = true;
                ASSERT_EQ(to_col % chunk, col % chunk) << "a chunk stays together";
                ASSERT_EQ(to_col / chunk, (col / chunk) ^ row % 8);
                ASSERT_EQ(x.map(to), (multi_index{row * line + col}));
            }
        }
    }
}

// Chunks change places within their line alone, by the keys of the bits of its number, and back again.
TEST(Transforms, PermuteBanksPermutesEachLineAndInvertsItself)
{
    random_numbers random(9);
    for(int chunk : {4, 8})
        for(int i = 0; i < 20; ++i)
        {
            permute_banks x = {300 * 8 * chunk, chunk, {}};
            for(auto& key : x.keys.key)
                key = static_cast<unsigned char>(random.between(0, 7));
            for(int line : {0, 1, 2, 3, 5, 64, 128, 255, 299})
            {
                int turn = 0;
                for(int bit = 0; bit < bank_keys::bits; ++bit)
                    if((line >> bit & 1) != 0)
                        turn ^= x.keys.key[bit];
                for(int at = 0; at < 8 * chunk; ++at)
                {
                    const int from = line * 8 * chunk + at, to = x.map({from})[0];
                    ASSERT_EQ(to, line * 8 * chunk + (at / chunk ^ turn) * chunk + at % chunk);
                    ASSERT_EQ(x.map({to})[0], from);
                }
            }
        }
    EXPECT_EQ((permute_banks{100, 0, {}}.map({77})[0]), 77) << "without chunks nothing moves";
}

// The same transform as a constant and as a value that the compiler does not know.
template <auto Constant>
void expect_the_same(random_numbers& random)
{
    using transform                 = std::remove_cvref_t<decltype(Constant)>;
    volatile auto unknown           = 0;
    transform runtime               = Constant;
    constexpr auto of_zero          = Constant.map({});
    constexpr auto constant_lengths = Constant.lengths();
    if(unknown != 0)
        runtime = {};
    ASSERT_EQ(runtime.map({}), of_zero);
    ASSERT_EQ(runtime.lengths(), constant_lengths);
    for(int i = 0; i < 50; ++i)
    {
        const auto u = random_index<transform::upper>(random, 0, 11);
        ASSERT_EQ(Constant.map(u), runtime.map(u));
    }
}

TEST(Transforms, ConstantsAndRunTimeValuesAgree)
{
    random_numbers random(5);
    expect_the_same<pass_through{12}>(random);
    expect_the_same<pad{12, 1, 2}>(random);
    expect_the_same<slice{3, 15}>(random);
    expect_the_same<offset{12, -3}>(random);
    expect_the_same<embed<2>{{12, 12}, {3, 5}}>(random);
    expect_the_same<merge<3>{{2, 3, 2}}>(random);
    expect_the_same<unmerge<2>{{12, 12}}>(random);
    expect_the_same<permute_banks{12, 4, {{1, 2}}}>(random);
    expect_the_same<freeze{7}>(random);

    static_assert(merge<3>{{2, 3, 4}}.map({23}) == multi_index{1, 2, 3});
    static_assert(merge<3>{{2, 3, 4}}.advance({0, 2, 3}, {0, 0, 1}) == multi_index{1, 0, 0});
    static_assert(unmerge<3>{{2, 3, 4}}.map({1, 2, 3})[0] == 23);
    static_assert(embed<2>{{5, 3}, {2, 3}}.map({4, 2})[0] == 14);
    static_assert(pad{5, 1, 2}.lengths()[0] == 8 && pad{5, 1, 2}.map({0})[0] == -1);
    static_assert(permute_banks{16 * 64, 8, {{1, 2, 4}}}.map({3 * 64 + 9}) == multi_index{3 * 64 + 17});
}

} // namespace
} // namespace ck_tile
