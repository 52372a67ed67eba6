// SPDX-License-Identifier: MIT
// What the example programs share: that verification sees what is wrong, and that inputs are what they are said to be.
#include "ck_tile/runtime/host_convert.hpp"
#include "ck_tile/runtime/npy.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/compare.hpp"
#include "examples/support/tensor_file.hpp"
#include "examples/support/tensor_init.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <unistd.h>

namespace ck_tile::examples
{

namespace
{

constexpr float infinity = std::numeric_limits<float>::infinity();

comparison compare_one(data_type type, float actual, expectation expected)
{
    return compare(type, {actual}, [&](std::int64_t) { return expected; });
}

TEST(compare, counts_failures_and_finds_the_worst)
{
    const std::vector<float> actual = {1.0f, 2.5f, 3.0f, 100.5f};
    const auto expect               = [](std::int64_t i) {
        constexpr expectation each[] = {{1, 0.1}, {2, 0.1}, {3.05, 0.1}, {100, 1}};
        return each[i];
    };
    const comparison found = compare(data_type::fp32, actual, expect);
    EXPECT_FALSE(found.passed());
    EXPECT_EQ(found.failures, 1);
    EXPECT_EQ(found.worst, 1); // five times its bound; element 3 errs as much, within its bound
    EXPECT_EQ(describe(found, {2, 2}),
              "1 of 4 elements are wrong, largest error 0.5, bound 0.1, expected 2, actual 2.5 at {0, 1}");
}

TEST(compare, without_a_bound_only_the_same_passes)
{
    EXPECT_TRUE(compare_one(data_type::fp32, 0, {0, 0}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1e-30f, {0, 0}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1, {0, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1, {0, NAN}).passed());
}

TEST(compare, not_a_number_and_infinity_must_be_of_the_same_kind)
{
    EXPECT_TRUE(compare_one(data_type::fp16, NAN, {NAN, NAN}).passed());
    EXPECT_TRUE(compare_one(data_type::fp16, infinity, {INFINITY, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, 0, {NAN, NAN}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, NAN, {0, 1e9}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, -infinity, {INFINITY, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, 65504, {INFINITY, INFINITY}).passed());
}

TEST(compare, what_is_too_large_for_the_type_may_be_infinite)
{
    EXPECT_EQ(overflow_threshold(data_type::fp16), 65520);
    EXPECT_TRUE(compare_one(data_type::fp16, infinity, {65519, 2}).passed());
    EXPECT_TRUE(compare_one(data_type::fp16, -infinity, {-1e6, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, infinity, {65510, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, infinity, {-1e6, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, infinity, {1e6, 2}).passed());
}

TEST(make_values, are_what_their_name_says)
{
    EXPECT_EQ(make_values(fill::zeros, 3, 1, 0), std::vector<float>(3, 0.0f));

    std::vector<int> counts(11);
    for(const float value : make_values(fill::integers, 11000, 1, 0))
    {
        ASSERT_TRUE(value >= -5 && value <= 5 && value == std::floor(value)) << value;
        ++counts[static_cast<int>(value) + 5];
    }
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 800);

    double sum = 0;
    for(const float value : make_values(fill::decimals, 10000, 1, 0))
    {
        ASSERT_TRUE(value >= -0.5f && value < 0.5f && (value == 0 || std::abs(value) >= 0x1p-14f)) << value;
        sum += value;
    }
    EXPECT_LT(std::abs(sum), 150);
}

TEST(make_values, depend_on_seed_and_stream_alone)
{
    const std::vector<float> values = make_values(fill::decimals, 100, 1, 0);
    EXPECT_EQ(make_values(fill::decimals, 100, 1, 0), values);
    EXPECT_NE(make_values(fill::decimals, 100, 2, 0), values);
    EXPECT_NE(make_values(fill::decimals, 100, 1, 1), values);
    EXPECT_EQ(make_values(fill::integers, 8, 1, 0),
              (std::vector<float>{-5, -1, -1, 0, 3, -4, -4, 3})); // on every machine
}

TEST(parse_integer, takes_whole_numbers_only)
{
    EXPECT_EQ(*parse_integer("K", "-12"), -12);
    EXPECT_EQ(parse_integer("K", "12x").reason(), "K must be a whole number, but is '12x'");
    EXPECT_EQ(parse_integer("K", "").reason(), "K must be a whole number, but is ''");
    EXPECT_EQ(parse_integer("K", "1e3").reason(), "K must be a whole number, but is '1e3'");
    EXPECT_EQ(parse_integer("K", "9223372036854775808").reason(), "K must fit 64 bits, but is 9223372036854775808");
}

TEST(tensor_file, keeps_bf16_and_rejects_what_is_not)
{
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / ("tensor_file_test_" + std::to_string(getpid()) + ".npy");
    const std::vector<float> values       = {1.0f, -0.5f, 3.140625f, NAN, infinity, 0.0f};
    const std::vector<std::byte> elements = encode(data_type::bf16, values);
    ASSERT_TRUE(dump_tensor(file, data_type::bf16, {2, 3}, elements));
    EXPECT_EQ(read_npy_header(file)->type, npy_type::float32);
    const auto loaded = load_tensor(file, data_type::bf16, {2, 3});
    ASSERT_TRUE(loaded) << loaded.reason();
    EXPECT_EQ(*loaded, elements);

    EXPECT_EQ(load_tensor(file, data_type::bf16, {3, 2}).reason(),
              file.string() + ": the problem needs the shape (3, 2), found (2, 3)");
    EXPECT_EQ(check_tensor_file(file, data_type::fp16, {2, 3}).reason(),
              file.string() + ": fp16 needs an array of float16, found float32: convert the file, or choose another "
                              "--dtype");
    ASSERT_TRUE(write_npy(file, npy_type::float32, {2}, encode(data_type::fp32, std::vector{1.0f, 1.001f})));
    EXPECT_EQ(load_tensor(file, data_type::bf16, {2}).reason(),
              file.string() + ": every value must be a bf16 number, but element 1 is 1.001, between two of them: round "
                              "the values before they are saved, or choose --dtype fp32");
    std::filesystem::remove(file);
}

} // namespace

} // namespace ck_tile::examples
