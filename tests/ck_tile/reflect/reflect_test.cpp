// SPDX-License-Identifier: MIT
// Names, JSON, printouts and the order of configurations: all from Boost.Hana's description of a struct.
#include "ck_tile/reflect/config_tool.hpp"
#include "ck_tile/reflect/json.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile::reflect
{
namespace
{

enum class speed
{
    slow,
    slow_and_steady, // begins with another name
    fast
};

// Dissolves: it has more than numbers.
struct engine
{
    speed pace;
    gemm::wave_grid waves;
};

struct settings
{
    architecture arch;
    data_type dtype = data_type::bf16;
    reflect::engine engine;
    int stages             = 2;
    gemm::block_tile block = {64, 64, 32};
};

} // namespace
} // namespace ck_tile::reflect

template <>
struct ck_tile::enumerators<ck_tile::reflect::speed>
{
    using enum reflect::speed;
    static constexpr const char* type                 = "reflect::speed";
    static constexpr enumerator<reflect::speed> all[] = {
        {slow, "slow"}, {slow_and_steady, "slow_and_steady"}, {fast, "fast"}};
};

BOOST_HANA_ADAPT_STRUCT(ck_tile::reflect::engine, pace, waves);
BOOST_HANA_ADAPT_STRUCT(ck_tile::reflect::settings, arch, dtype, engine, stages, block);

namespace ck_tile::reflect
{
namespace
{

constexpr settings example = {
    architecture::gfx942, data_type::fp16, {speed::slow_and_steady, {2, 1}}, 2, {128, 64, 32}};
constexpr auto example_name = "op_gfx942_fp16_slow_and_steady_waves2x1_stages2_block128x64x32";

settings random_settings(random_numbers& random)
{
    return {static_cast<architecture>(random.between(0, 3)),
            static_cast<data_type>(random.between(0, 2)),
            {static_cast<speed>(random.between(0, 2)), {random.between(0, 9), random.between(0, 9)}},
            random.between(0, 1000),
            {random.between(0, 12), random.between(0, 12), random.between(0, 12)}};
}

TEST(Reflect, NamesReadAsConfigurations)
{
    EXPECT_EQ(instance_name("op", example), example_name);
    EXPECT_EQ(print(example), "arch gfx942, dtype fp16, pace slow_and_steady, waves (m 2, n 1), stages 2, "
                              "block (m 128, n 64, k 32)");
    EXPECT_EQ(literal(example), "{.arch = architecture::gfx942, .dtype = data_type::fp16, .engine = "
                                "{.pace = reflect::speed::slow_and_steady, .waves = {.m = 2, .n = 1}}, .stages = 2, "
                                ".block = {.m = 128, .n = 64, .k = 32}}");
}

TEST(Reflect, NamesAndJsonParseBack)
{
    random_numbers random(1);
    for(int i = 0; i < 1000; ++i)
    {
        const settings s  = random_settings(random);
        const auto parsed = parse_instance_name<settings>("op", instance_name("op", s));
        ASSERT_TRUE(parsed) << parsed.reason();
        ASSERT_TRUE(compare(*parsed, s) == 0) << print(s);
        const auto read = from_json<settings>(json::parse(to_json(s).dump()), "op");
        ASSERT_TRUE(read) << read.reason();
        ASSERT_TRUE(compare(*read, s) == 0) << print(s);
    }
}

TEST(Reflect, TheOrderIsTotalAndNamesAreDistinct)
{
    random_numbers random(2);
    for(int i = 0; i < 1000; ++i)
    {
        const settings a = random_settings(random), b = random_settings(random), c = random_settings(random);
        EXPECT_EQ(compare(a, b) == 0, instance_name("op", a) == instance_name("op", b));
        EXPECT_EQ(compare(a, b) < 0, compare(b, a) > 0);
        if(compare(a, b) < 0 && compare(b, c) < 0)
            EXPECT_TRUE(compare(a, c) < 0);
    }
    settings later = example;
    later.block.k  = 33;
    EXPECT_TRUE(compare(example, later) < 0);
    later.stages = 1; // decides before the block does
    EXPECT_TRUE(compare(example, later) > 0);
}

TEST(Reflect, OtherNamesAreRejectedWhereTheyLeaveTheForm)
{
    const auto reason = [](const std::string& name) {
        const auto parsed = parse_instance_name<settings>("op", name);
        return parsed ? "accepted" : parsed.reason();
    };
    const auto expect = [&](const std::string& name, const std::string& why) {
        EXPECT_EQ(reason(name), "'" + name + "' is not the name of an instance: " + why);
    };
    expect("other_gfx942", "it does not begin with op");
    expect("op", "_ and arch are to follow at ''");
    expect("op_gfx9_fp16_fast",
           "'gfx9_fp16_fast' does not begin with a value of arch: choose from " + choices<architecture>());
    // There are tensors of integers, but no configurations.
    expect("op_gfx942_u8_fast", "'u8_fast' does not begin with a value of dtype: choose from fp16, bf16, fp32");
    const std::string begin = "op_gfx942_fp16_fast_waves1x1_";
    expect("op_gfx942_fp16_fast_1x1", "'1x1' does not begin with waves");
    expect(begin + "steps2_block1x1x1", "'steps2_block1x1x1' does not begin with stages");
    expect(begin + "stages_block1x1x1", "stages is to be followed by a number, not by '_block1x1x1'");
    expect(begin + "stages2_block1x1", "the numbers of block are to be parted by x at ''");
    expect(begin + "stages2_block1x1x1x1", "nothing is to follow at 'x1'");
    expect(begin + "stages99999999999_block1x1x1",
           "stages is to be followed by a number, not by '99999999999_block1x1x1'");
}

TEST(Reflect, OtherJsonIsRejectedWithThePlaceAndWhatIsAllowed)
{
    const auto expect = [](auto&& change, const std::string& why) {
        json given = to_json(example);
        change(given);
        const auto read = from_json<settings>(given, "file");
        ASSERT_FALSE(read) << why;
        EXPECT_EQ(read.reason(), why);
    };
    expect([](json& j) { j["pace"] = "hasty"; },
           "file.pace: \"hasty\" is not allowed: choose from slow, slow_and_steady, fast");
    expect([](json& j) { j["pace"] = 1; }, "file.pace: 1 is not allowed: choose from slow, slow_and_steady, fast");
    expect([](json& j) { j["dtype"] = "int32"; }, "file.dtype: \"int32\" is not allowed: choose from fp16, bf16, fp32");
    expect([](json& j) { j["stages"] = "two"; }, "file.stages: \"two\" is not allowed: give a whole number");
    expect([](json& j) { j["stages"] = 1.5; }, "file.stages: 1.5 is not allowed: give a whole number");
    expect([](json& j) { j["stages"] = 1LL << 40; }, "file.stages: 1099511627776 is not allowed: give a whole number");
    expect([](json& j) { j["block"] = 3; }, "file.block: 3 is not allowed: give an object");
    expect([](json& j) { j["waves"].erase("n"); }, "file.waves: n is missing");
    expect([](json& j) { j.erase("pace"); }, "file: pace is missing");
    expect([](json& j) { j["block"]["o"] = 1; }, "file.block: unknown key o; allowed are m, n, k");
    expect([](json& j) { j["tempo"] = 1; },
           "file: unknown key tempo; allowed are arch, dtype, pace, waves, stages, block");
}

TEST(Reflect, WhatJsonLeavesOutHasTheDefaultOfTheStruct)
{
    const auto read = from_json<settings>(
        json::parse(R"({"arch": "gfx11", "pace": "fast", "waves": {"m": 1, "n": 2}, "block": {"k": 16}})"), "file");
    ASSERT_TRUE(read) << read.reason();
    const settings expected = {.arch = architecture::gfx11, .engine = {speed::fast, {1, 2}}, .block = {64, 64, 16}};
    EXPECT_TRUE(compare(*read, expected) == 0) << print(*read);
}

TEST(Reflect, FieldsTakeStructsApartAndHaveDefaults)
{
    const auto field = [](const std::string& rest) { return R"({"name": ")" + rest + "}"; };
    std::string architectures;
    for(const auto& e : enumerators<architecture>::all)
        architectures += (architectures.empty() ? "\"" : ", \"") + std::string(e.name) + '"';
    EXPECT_EQ(
        detail::fields<settings>(),
        (std::vector{
            field(R"(arch", "kind": "choice", "type": "architecture", "values": [)" + architectures + "]"),
            field(
                R"(dtype", "kind": "choice", "type": "data_type", "values": ["fp16", "bf16", "fp32"], "default": "bf16")"),
            field(
                R"(pace", "kind": "choice", "type": "reflect::speed", "values": ["slow", "slow_and_steady", "fast"])"),
            field(R"(waves.m", "kind": "number")"), field(R"(waves.n", "kind": "number")"),
            field(R"(stages", "kind": "number", "default": 2)"), field(R"(block.m", "kind": "number", "default": 64)"),
            field(R"(block.n", "kind": "number", "default": 64)"),
            field(R"(block.k", "kind": "number", "default": 32)")}));
}

TEST(Reflect, ValuesInTheOrderOfTheFieldsAreAConfiguration)
{
    const auto read = detail::parse_values<settings>("gfx942 fp16 slow_and_steady 2 1 2 128 64 32");
    ASSERT_TRUE(read) << read.reason();
    EXPECT_TRUE(compare(*read, example) == 0) << print(*read);
    const auto reason = [](const std::string& line) { return detail::parse_values<settings>(line).reason(); };
    EXPECT_EQ(reason("gfx942 u8 fast 2 1 2 128 64 32"),
              "'gfx942 u8 fast 2 1 2 128 64 32' is not a configuration: dtype");
    EXPECT_EQ(reason("gfx942 fp16 fast 2 1 2 128 64"),
              "'gfx942 fp16 fast 2 1 2 128 64' is not a configuration: block.k");
    EXPECT_EQ(reason("gfx942 fp16 fast 2 1 2 1 1 1 1"),
              "'gfx942 fp16 fast 2 1 2 1 1 1 1' is not a configuration: too long");
}

// The type is a field, or follows from others.
TEST(Reflect, TheTypeOfAConfiguration)
{
    struct implied
    {
        constexpr data_type dtype() const { return data_type::fp32; }
    };
    static_assert(dtype_of(example) == data_type::fp16 && dtype_of(implied{}) == data_type::fp32);
}

TEST(Reflect, AViolationSaysRuleValueAndFix)
{
    EXPECT_EQ(describe(violation{"stages must be positive", 0, "choose 1"}),
              "stages must be positive, but one is 0: choose 1");
    EXPECT_EQ(describe(violation{"the target must be fast", "slow", "choose fast"}),
              "the target must be fast, but one is slow: choose fast");
    EXPECT_FALSE(violation{});
}

} // namespace
} // namespace ck_tile::reflect
