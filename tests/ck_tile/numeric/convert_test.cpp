// SPDX-License-Identifier: MIT
// Conversion between fp16, bf16 and fp32: every 16-bit pattern, and every rounding of fp32 that is close to a decision.
#include "ck_tile/numeric/types.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ck_tile
{
namespace
{

// What a 16-bit format says, in plain arithmetic: sign, exponent bits, fraction bits.
template <int ExponentBits, int FractionBits>
double value_of(unsigned bits)
{
    constexpr int bias      = (1 << (ExponentBits - 1)) - 1;
    const unsigned exponent = bits >> FractionBits & ((1u << ExponentBits) - 1);
    const unsigned fraction = bits & ((1u << FractionBits) - 1);
    const double sign       = bits >> 15 != 0 ? -1. : 1.;
    if(exponent == (1u << ExponentBits) - 1)
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if(exponent == 0)
        return sign * std::ldexp(fraction, 1 - bias - FractionBits);
    return sign * std::ldexp((1u << FractionBits) + fraction, static_cast<int>(exponent) - bias - FractionBits);
}

template <class T>
struct format;
template <>
struct format<fp16>
{
    using type = fp16;
    static double value(unsigned bits) { return value_of<5, 10>(bits); }
    static constexpr unsigned infinity = 0x7c00;
};
template <>
struct format<bf16>
{
    using type = bf16;
    static double value(unsigned bits) { return value_of<8, 7>(bits); }
    static constexpr unsigned infinity = 0x7f80;
};

template <class T>
T from_bits(unsigned bits)
{
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
}
template <class T>
unsigned bits_of(T x)
{
    return std::bit_cast<std::uint16_t>(x);
}

// Rounds x by search: of the two neighbours among all values of the format, the nearer one, of equals the even one. The
// patterns of one sign count upwards through the values; infinity stands for the next value after the largest.
template <class T>
unsigned nearest_even(double x)
{
    const unsigned sign = std::signbit(x) ? 0x8000 : 0;
    const double size   = std::abs(x);
    const auto value    = [](unsigned bits) {
        if(bits < format<T>::infinity)
            return format<T>::value(bits);
        return 2 * format<T>::value(bits - 1) - format<T>::value(bits - 2);
    };
    unsigned low = 0, high = format<T>::infinity; // value(low) <= size
    if(size >= value(high))
        return sign | high;
    while(high - low > 1)
    {
        const unsigned middle                = (low + high) / 2;
        (value(middle) <= size ? low : high) = middle;
    }
    const double below = size - value(low), above = value(high) - size;
    return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

template <class T>
class ConvertOf : public testing::Test
{};
using types = testing::Types<format<fp16>, format<bf16>>;
TYPED_TEST_SUITE(ConvertOf, types);

TYPED_TEST(ConvertOf, EveryPatternToFp32AndBack)
{
    using number = typename TypeParam::type;
    for(unsigned bits = 0; bits < 0x10000; ++bits)
    {
        const auto narrow   = from_bits<number>(bits);
        const float wide    = convert<float>(narrow);
        const double expect = TypeParam::value(bits);
        if(std::isnan(expect))
        {
            ASSERT_TRUE(std::isnan(wide)) << std::hex << bits;
            const unsigned back = bits_of(convert<number>(wide));
            ASSERT_TRUE(std::isnan(TypeParam::value(back))) << std::hex << bits << " became " << back;
            ASSERT_EQ(back & 0x8000, bits & 0x8000) << "the sign of a NaN";
            continue;
        }
        ASSERT_EQ(double(wide), expect) << std::hex << bits;
        ASSERT_EQ(std::signbit(wide), bits >= 0x8000) << std::hex << bits;
        ASSERT_EQ(bits_of(convert<number>(wide)), bits) << "not the same after a round trip";
    }
}

// Between each two neighbours: halfway goes to the even one, a little less or more to the nearer one.
TYPED_TEST(ConvertOf, RoundsToNearestTiesToEven)
{
    using number = typename TypeParam::type;
    for(unsigned bits = 0; bits < TypeParam::infinity; ++bits)
        for(unsigned sign : {0u, 0x8000u})
        {
            const double here = TypeParam::value(bits);
            const double next =
                bits + 1 < TypeParam::infinity ? TypeParam::value(bits + 1) : 2 * here - TypeParam::value(bits - 1);
            const float halfway  = static_cast<float>((here + next) / 2);
            const float negative = sign != 0 ? -1.f : 1.f;
            if(!std::isfinite(halfway))
                continue;
            const auto rounded = [&](float x) { return bits_of(convert<number>(negative * x)); };
            ASSERT_EQ(rounded(halfway), sign | (bits % 2 == 0 ? bits : bits + 1)) << std::hex << bits;
            ASSERT_EQ(rounded(std::nextafter(halfway, 0.f)), sign | bits) << std::hex << bits;
            ASSERT_EQ(rounded(std::nextafter(halfway, INFINITY)), sign | (bits + 1)) << std::hex << bits;
        }
}

TYPED_TEST(ConvertOf, AnyFp32IsRoundedToNearest)
{
    using number = typename TypeParam::type;
    random_numbers random(40);
    for(int i = 0; i < 200000; ++i)
    {
        const auto bits    = static_cast<std::uint32_t>(random.between(0, 0xffff)) << 16 |
                             static_cast<std::uint32_t>(random.between(0, 0xffff));
        const auto x       = std::bit_cast<float>(bits);
        const unsigned got = bits_of(convert<number>(x));
        if(std::isnan(x))
            ASSERT_TRUE(std::isnan(TypeParam::value(got))) << std::hex << bits;
        else
            ASSERT_EQ(got, nearest_even<number>(x)) << std::hex << bits;
    }
}

TYPED_TEST(ConvertOf, OverflowIsInfinityAndUnderflowKeepsItsSign)
{
    using number                = typename TypeParam::type;
    const auto rounded          = [](float x) { return bits_of(convert<number>(x)); };
    constexpr unsigned infinity = TypeParam::infinity;
    EXPECT_EQ(rounded(INFINITY), infinity);
    EXPECT_EQ(rounded(-INFINITY), 0x8000 | infinity);
    EXPECT_EQ(rounded(std::numeric_limits<float>::max()), infinity);
    EXPECT_EQ(rounded(-std::numeric_limits<float>::max()), 0x8000 | infinity);
    EXPECT_EQ(rounded(0.f), 0u);
    EXPECT_EQ(rounded(-0.f), 0x8000u);
    EXPECT_EQ(rounded(std::numeric_limits<float>::denorm_min()), 0u);
    EXPECT_EQ(rounded(-std::numeric_limits<float>::denorm_min()), 0x8000u);
    // A NaN whose payload lies in the bits that are cut off must not become infinity.
    EXPECT_TRUE(std::isnan(TypeParam::value(rounded(std::bit_cast<float>(0x7f800001u)))));
    EXPECT_TRUE(std::isnan(TypeParam::value(rounded(std::bit_cast<float>(0xffffffffu)))));
}

TEST(Convert, BetweenFp16AndBf16GoesThroughFp32)
{
    for(unsigned bits = 0; bits < 0x10000; ++bits)
    {
        const auto half  = from_bits<fp16>(bits);
        const auto brain = from_bits<bf16>(bits);
        if(!std::isnan(format<fp16>::value(bits)))
            ASSERT_EQ(bits_of(convert<bf16>(half)), nearest_even<bf16>(format<fp16>::value(bits))) << std::hex << bits;
        if(!std::isnan(format<bf16>::value(bits)))
            ASSERT_EQ(bits_of(convert<fp16>(brain)), nearest_even<fp16>(format<bf16>::value(bits))) << std::hex << bits;
    }
}

TEST(Convert, IsAConstantExpression)
{
    static_assert(convert<float>(convert<bf16>(1.00390625f)) == 1.f); // halfway between 1 and the next
    static_assert(convert<float>(convert<bf16>(1.01171875f)) == 1.015625f);
    static_assert(convert<float>(convert<fp16>(65519.f)) == 65504.f);
    static_assert(convert<float>(3.5f) == 3.5f);
    static_assert(type_of<fp16> == data_type::fp16 && type_of<bf16> == data_type::bf16 &&
                  type_of<fp32> == data_type::fp32);
    static_assert(type_of<std::uint8_t> == data_type::u8 && type_of<std::int32_t> == data_type::int32 &&
                  type_of<std::int64_t> == data_type::int64);
    static_assert(sizeof(element_t<data_type::bf16>) == bytes_of(data_type::bf16));
}

// The unit roundoff is what rounding can lose, relative to the result: reached just above 1, never passed.
TYPED_TEST(ConvertOf, LosesAtMostTheUnitRoundoff)
{
    using number   = typename TypeParam::type;
    const double u = unit_roundoff(type_of<number>);
    EXPECT_EQ(convert<float>(convert<number>(static_cast<float>(1 + u))), 1.f);
    random_numbers random(41);
    for(int i = 0; i < 20000; ++i)
    {
        const float x = 1.f + static_cast<float>(random.between(0, 1 << 23)) / (1 << 23);
        ASSERT_LE(std::abs(double(convert<float>(convert<number>(x))) - x), u * x);
    }
}

} // namespace
} // namespace ck_tile
