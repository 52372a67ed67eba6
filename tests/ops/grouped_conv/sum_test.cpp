// SPDX-License-Identifier: MIT
// Sums of partials, of all numbers of elements and splits that are added up differently.
#include "ops/grouped_conv/sum.hpp"

#include "tests/support/checked_block.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <vector>

namespace ck_tile::conv
{
namespace
{

template <architecture Arch>
using of_architecture = std::integral_constant<architecture, Arch>;

template <class Arch>
class Sum : public testing::Test
{
    const checker_scope checked_;
};
using architectures = testing::Types<of_architecture<architecture::gfx942>,
                                     of_architecture<architecture::gfx11>>; // waves of 64 and of 32
TYPED_TEST_SUITE(Sum, architectures);

struct twice_and_number
{
    template <class T>
    float operator()(float sum, std::int64_t number) const
    {
        return 2 * sum + static_cast<float>(number % 5);
    }
};

struct sizes
{
    std::int64_t elements;
    int splits;
};

// Of no splits: zeros; of few elements and many splits, whose last ones are fewer than rows; in vectors of 1, 2 and 4 elements; odd ones.
constexpr sizes all_sizes[] = {{1, 1},       {7, 0},      {5, 33},     {300, 32},   {864, 251},  {1001, 95},
                               {257, 21},    {32767, 34}, {32768, 35}, {32769, 2},  {131071, 5}, {131072, 1},
                               {131074, 17}, {131073, 3}, {524288, 2}, {524292, 5}, {524290, 2}, {524291, 1}};

float partial(int split, std::int64_t element) { return static_cast<float>((element * 7 + split * 13) % 17 - 8); }

TYPED_TEST(Sum, IsThatOfAllPartialsFinished)
{
    using program  = sum_program<TypeParam::value, data_type::fp32, twice_and_number>;
    const kernel k = make_kernel<program>("sum");
    const auto dev = device::open(std::string("host:") + facts(TypeParam::value).name);
    for(const auto& [elements, splits] : all_sizes)
    {
        std::vector<float> partials(static_cast<std::size_t>(elements * splits));
        for(int split = 0; split < splits; ++split)
            for(std::int64_t i = 0; i < elements; ++i)
                partials[static_cast<std::size_t>(split * elements + i)] = partial(split, i);
        const float beyond = std::numeric_limits<float>::quiet_NaN();
        std::vector<float> sums(static_cast<std::size_t>(elements) + 1, beyond);
        const sum_arguments<twice_and_number> a = {partials.data(), sums.data(), elements, splits, {}};
        const status done                       = dev->launch(k, {static_cast<unsigned>(a.blocks())}, a);
        ASSERT_TRUE(done) << done.reason();
        for(std::int64_t i = 0; i < elements; ++i)
        {
            float expected = static_cast<float>(i % 5);
            for(int split = 0; split < splits; ++split)
                expected += 2 * partial(split, i);
            ASSERT_EQ(sums[static_cast<std::size_t>(i)], expected) << i << " of " << elements << ", " << splits;
        }
        EXPECT_NE(sums.back(), sums.back()) << elements << ", " << splits;
    }
}

// What makes them: a block of 256 threads has 64, 256, 512 or 1024 elements.
TEST(SumArguments, HaveBlocksForAllElements)
{
    const auto blocks = [](const sizes& s) {
        return sum_arguments<>{nullptr, nullptr, s.elements, s.splits, {}}.blocks();
    };
    EXPECT_EQ(blocks({1, 1}), 1);
    EXPECT_EQ(blocks({864, 31}), 4);
    EXPECT_EQ(blocks({864, 251}), 14);
    EXPECT_EQ(blocks({32768, 251}), 128);
    EXPECT_EQ(blocks({131071, 2}), 512);
    EXPECT_EQ(blocks({131072, 2}), 256);
    EXPECT_EQ(blocks({131073, 2}), 513);
    EXPECT_EQ(blocks({524288, 2}), 512);
    EXPECT_EQ(blocks({524290, 2}), 1025);
}

} // namespace
} // namespace ck_tile::conv
