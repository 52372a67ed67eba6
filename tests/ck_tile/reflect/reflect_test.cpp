// SPDX-License-Identifier: MIT
// Names, JSON, printouts and the order of configurations: all from Boost.Hana's description of a struct.
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

struct settings
{
    architecture arch;
    speed pace;
    int stages;
    gemm::block_tile block;
};

} // namespace

template <>
struct enumerators<speed>
{
    static constexpr std::string_view type = "speed";
    static std::vector<enumerator<speed>> all()
    {
        return {{speed::slow, "slow"}, {speed::slow_and_steady, "slow_and_steady"}, {speed::fast, "fast"}};
    }
};

} // namespace ck_tile::reflect

BOOST_HANA_ADAPT_STRUCT(ck_tile::reflect::settings, arch, pace, stages, block);

namespace ck_tile::reflect
{
namespace
{

constexpr settings example  = {architecture::gfx942, speed::slow_and_steady, 2, {128, 64, 32}};
constexpr auto example_name = "op_gfx942_slow_and_steady_stages2_block128x64x32";

settings random_settings(random_numbers& random)
{
    return {static_cast<architecture>(random.between(0, 3)),
            static_cast<speed>(random.between(0, 2)),
            random.between(0, 1000),
            {random.between(0, 12), random.between(0, 12), random.between(0, 12)}};
}

TEST(Reflect, NamesReadAsConfigurations)
{
    EXPECT_EQ(instance_name("op", example), example_name);
    EXPECT_EQ(print(example), "arch gfx942, pace slow_and_steady, stages 2, block (m 128, n 64, k 32)");
    EXPECT_EQ(literal(example), "{.arch = architecture::gfx942, .pace = speed::slow_and_steady, .stages = 2, "
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
    expect("op_gfx9_fast_stages2",
           "'gfx9_fast_stages2' does not begin with a value of arch: choose from " + choices<architecture>());
    expect("op_gfx942_fast_steps2_block1x1x1", "'steps2_block1x1x1' does not begin with stages");
    expect("op_gfx942_fast_stages_block1x1x1", "stages is to be followed by a number, not by '_block1x1x1'");
    expect("op_gfx942_fast_stages2_block1x1", "the numbers of block are to be parted by x at ''");
    expect("op_gfx942_fast_stages2_block1x1x1x1", "nothing is to follow at 'x1'");
    expect("op_gfx942_fast_stages99999999999_block1x1x1",
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
    expect([](json& j) { j["stages"] = "two"; }, "file.stages: \"two\" is not allowed: give a whole number");
    expect([](json& j) { j["stages"] = 1.5; }, "file.stages: 1.5 is not allowed: give a whole number");
    expect([](json& j) { j["stages"] = 1LL << 40; }, "file.stages: 1099511627776 is not allowed: give a whole number");
    expect([](json& j) { j["block"] = 3; }, "file.block: 3 is not allowed: give an object");
    expect([](json& j) { j["block"].erase("n"); }, "file.block: n is missing");
    expect([](json& j) { j["block"]["o"] = 1; }, "file.block: unknown key o; allowed are m, n, k");
    expect([](json& j) { j["tempo"] = 1; }, "file: unknown key tempo; allowed are arch, pace, stages, block");
}

TEST(Reflect, FieldsTakeStructsApart)
{
    json architectures = json::array();
    for(const target* t : all_targets)
        architectures.push_back(t->name);
    EXPECT_EQ(fields<settings>().dump(),
              R"([{"name":"arch","kind":"choice","values":)" + architectures.dump() +
              R"(},)"
              R"({"name":"pace","kind":"choice","values":["slow","slow_and_steady","fast"]},)"
              R"({"name":"stages","kind":"number"},{"name":"block.m","kind":"number"},)"
              R"({"name":"block.n","kind":"number"},{"name":"block.k","kind":"number"}])");
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
