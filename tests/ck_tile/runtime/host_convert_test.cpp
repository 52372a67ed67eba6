// SPDX-License-Identifier: MIT
// All 65536 patterns of the 16-bit types against their definitions in arithmetic, and rounding between neighbours.
#include "ck_tile/runtime/host_convert.hpp"

#include "ck_tile/numeric/types.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

// What compilers call to round to bf16; declared, as whether they do is theirs to choose.
extern "C" ck_tile::bf16 __truncsfbf2(float x); // NOLINT: the compiler chose the name

namespace ck_tile
{

namespace
{

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<std::byte> all_patterns()
{
    std::vector<std::byte> bytes(2 * 65536);
    for(unsigned pattern = 0; pattern < 65536; ++pattern)
    {
        const auto bits = static_cast<std::uint16_t>(pattern);
        std::memcpy(&bytes[2 * pattern], &bits, sizeof bits);
    }
    return bytes;
}

// sign * 2^(exponent - bias) * 1.fraction, with the exceptions of IEEE 754.
double value_of(unsigned pattern, int fraction_bits)
{
    const int exponent_bits = 15 - fraction_bits;
    const int bias          = (1 << (exponent_bits - 1)) - 1;
    const int exponent      = static_cast<int>(pattern >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction      = static_cast<int>(pattern & ((1u << fraction_bits) - 1));
    const double sign       = (pattern & 0x8000) != 0 ? -1 : 1;
    if(exponent == (1 << exponent_bits) - 1)
        return fraction == 0 ? sign * INFINITY : NAN;
    return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias - fraction_bits)
                         : sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

std::uint16_t encode_one(data_type type, float value)
{
    const std::vector<std::byte> bytes = encode(type, std::vector{value});
    std::uint16_t bits                 = 0;
    EXPECT_EQ(bytes.size(), sizeof bits);
    std::memcpy(&bits, bytes.data(), sizeof bits);
    return bits;
}

struct half_type
{
    data_type type;
    int fraction_bits;
    unsigned infinity_pattern;
};

class host_convert_half : public testing::TestWithParam<half_type>
{};

TEST_P(host_convert_half, decodes_every_pattern)
{
    const std::vector<float> values = decode(GetParam().type, all_patterns());
    ASSERT_EQ(values.size(), 65536u);
    for(unsigned pattern = 0; pattern < 65536; ++pattern)
    {
        const double expected = value_of(pattern, GetParam().fraction_bits);
        ASSERT_EQ(std::isnan(values[pattern]), std::isnan(expected)) << pattern;
        ASSERT_TRUE(std::isnan(expected) || values[pattern] == expected) << pattern;
        ASSERT_EQ(std::signbit(values[pattern]), pattern >= 0x8000) << pattern;
    }
}

TEST_P(host_convert_half, encodes_every_value_back)
{
    const std::vector<std::byte> patterns  = all_patterns();
    const std::vector<float> values        = decode(GetParam().type, patterns);
    const std::vector<std::byte> encoded   = encode(GetParam().type, values);
    const std::vector<float> decoded_again = decode(GetParam().type, encoded);
    for(unsigned pattern = 0; pattern < 65536; ++pattern)
    {
        if(std::isnan(values[pattern]))
        {
            ASSERT_TRUE(std::isnan(decoded_again[pattern])) << pattern; // which NaN may change
            continue;
        }
        ASSERT_EQ(std::memcmp(&patterns[2 * pattern], &encoded[2 * pattern], 2), 0) << pattern;
    }
}

// Between each two neighbours: their middle goes to the even one, what is beside it to the nearer one.
TEST_P(host_convert_half, rounds_to_nearest_even)
{
    for(unsigned lower = 0; lower + 1 < GetParam().infinity_pattern; ++lower)
    {
        const double below    = value_of(lower, GetParam().fraction_bits);
        const double above    = value_of(lower + 1, GetParam().fraction_bits);
        const auto middle     = static_cast<float>((below + above) / 2);
        const unsigned even   = lower + lower % 2;
        const float just_less = std::nextafter(middle, 0.0f);
        const float just_more = std::nextafter(middle, infinity);
        ASSERT_EQ(encode_one(GetParam().type, middle), even) << lower;
        ASSERT_EQ(encode_one(GetParam().type, -middle), even | 0x8000) << lower;
        ASSERT_EQ(encode_one(GetParam().type, just_less), lower) << lower;
        ASSERT_EQ(encode_one(GetParam().type, just_more), lower + 1) << lower;
    }
}

TEST_P(host_convert_half, what_is_too_large_becomes_infinite)
{
    const unsigned largest = GetParam().infinity_pattern - 1;
    const double value     = value_of(largest, GetParam().fraction_bits);
    const double gap       = value - value_of(largest - 1, GetParam().fraction_bits);
    const auto threshold   = static_cast<float>(value + gap / 2);
    EXPECT_EQ(encode_one(GetParam().type, std::nextafter(threshold, 0.0f)), largest);
    EXPECT_EQ(encode_one(GetParam().type, threshold), GetParam().infinity_pattern);
    EXPECT_EQ(encode_one(GetParam().type, -infinity), GetParam().infinity_pattern | 0x8000);
}

INSTANTIATE_TEST_SUITE_P(types, host_convert_half,
                         testing::Values(half_type{data_type::fp16, 10, 0x7c00}, half_type{data_type::bf16, 7, 0x7f80}),
                         [](const auto& each) { return std::string(name_of(each.param.type)); });

// A signalling NaN whose payload lies in the bits that bf16 drops must not become infinity, nor overflow into zero.
TEST(host_convert, keeps_every_nan)
{
    for(const std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
    {
        for(const data_type type : {data_type::fp16, data_type::bf16, data_type::fp32})
        {
            const std::vector<float> back = decode(type, encode(type, std::vector{std::bit_cast<float>(bits)}));
            EXPECT_TRUE(std::isnan(back.front())) << std::hex << bits << " as " << name_of(type);
        }
    }
}

TEST(host_convert, fp32_is_copied)
{
    const std::vector<float> values = {0.0f, -0.0f, 1.1f, -3e38f, 1e-45f, infinity};
    const std::vector<float> back   = decode(data_type::fp32, encode(data_type::fp32, values));
    ASSERT_EQ(back.size(), values.size());
    EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(float)), 0);
}

TEST(host_convert, integers_are_the_nearest_ones)
{
    const std::vector<float> values = {0,    2,     2.5f,  3.5f,   200,      -1,        300,
                                       3e9f, -3e9f, 1e19f, -1e19f, infinity, -infinity, NAN};
    const auto there_and_back       = [&](data_type type) { return decode(type, encode(type, values)); };
    EXPECT_EQ(there_and_back(data_type::u8), (std::vector<float>{0, 2, 2, 4, 200, 0, 255, 255, 0, 255, 0, 255, 0, 0}));
    EXPECT_EQ(there_and_back(data_type::int32), (std::vector<float>{0, 2, 2, 4, 200, -1, 300, 0x1p31f, -0x1p31f,
                                                                    0x1p31f, -0x1p31f, 0x1p31f, -0x1p31f, 0}));
    EXPECT_EQ(there_and_back(data_type::int64),
              (std::vector<float>{0, 2, 2, 4, 200, -1, 300, 3e9f, -3e9f, 0x1p63f, -0x1p63f, 0x1p63f, -0x1p63f, 0}));
}

TEST(host_convert, whole_numbers_are_kept_beyond_what_floats_hold)
{
    const std::vector<std::int64_t> bytes = {0, 1, 255}, words = {0, -1, 16777217, 2147483647, -2147483648},
                                    wide = {0, -1, 9007199254740993, std::numeric_limits<std::int64_t>::min()};
    for(const auto& [type, values] :
        {std::pair{data_type::u8, bytes}, {data_type::int32, words}, {data_type::int64, wide}})
    {
        const std::vector<std::byte> elements = encode_integers(type, values);
        EXPECT_EQ(elements.size(), values.size() * static_cast<std::size_t>(bytes_of(type)));
        EXPECT_EQ(decode_integers(type, elements), values) << name_of(type);
    }
    EXPECT_TRUE(encode_integers(data_type::fp16, bytes).empty());
    EXPECT_TRUE(decode_integers(data_type::fp32, std::vector<std::byte>(8)).empty());
}

TEST(host_convert, what_compilers_call_rounds_to_bf16_as_convert_does)
{
    const auto bits_of = [](float x) { return std::bit_cast<std::uint16_t>(__truncsfbf2(x)); };
    EXPECT_EQ(bits_of(0x1.01p0f), 0x3f80);  // half-way: to the even one
    EXPECT_EQ(bits_of(-0x1.03p0f), 0xbf82); // half-way, up
    EXPECT_EQ(bits_of(0x1.010002p0f), 0x3f81);
    EXPECT_EQ(bits_of(0x1.fffffep127f), 0x7f80); // too large
    EXPECT_EQ(bits_of(-infinity), 0xff80);
    EXPECT_EQ(bits_of(0x1p-149f), 0);
    EXPECT_EQ(bits_of(std::bit_cast<float>(0xffc10000u)), 0xffc1);            // NaN keeps what fits of its bits,
    EXPECT_EQ(bits_of(std::bit_cast<float>(0x7f800001u)) & 0x7fc0u, 0x7fc0u); // and stays one
    for(unsigned pattern = 0; pattern < 65536; ++pattern)
        if(const float x = std::bit_cast<float>(pattern << 16); !std::isnan(x))
            ASSERT_EQ(bits_of(x), pattern);
}

TEST(host_convert, nothing_stays_nothing)
{
    for(const auto& type : enumerators<data_type>::all)
    {
        EXPECT_TRUE(encode(type.value, {}).empty());
        EXPECT_TRUE(decode(type.value, {}).empty());
    }
}

} // namespace

} // namespace ck_tile
