// SPDX-License-Identifier: MIT
// Tuned tables: what is remembered is found again, also through a file; other files are rejected with the reason.
#include "ck_tile/runtime/tuned_table.hpp"

#include "ck_tile/runtime/files.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

namespace ck_tile
{
namespace
{

using json = nlohmann::ordered_json;

const auto anything = [](tuned_choice&) { return status(); };

class TunedTable : public testing::Test
{
  protected:
    std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) /
        ("tuned_table_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");

    void expect_rejected(const std::string& text, const std::string& why)
    {
        std::ofstream(file) << text;
        const auto loaded = tuned_table::load(file, "op", anything);
        ASSERT_FALSE(loaded) << text;
        EXPECT_EQ(loaded.reason(), "the tuned table " + file.string() + ": " + why);
    }
};

TEST_F(TunedTable, FindsWhatItWasGiven)
{
    tuned_table table("op");
    table.set({"host:gfx942", {{"N", 1}}, "first", 1});
    table.set({"host:gfx942", {{"N", 2}}, "second", 2});
    table.set({"hip:gfx942", {{"N", 1}}, "third", 3});
    table.set({"host:gfx942", {{"N", 1}}, "instead", 4});
    ASSERT_TRUE(table.save(file));
    const auto loaded = tuned_table::load(file, "op", anything);
    ASSERT_TRUE(loaded) << loaded.reason();
    for(const tuned_table& each : {table, *loaded})
    {
        EXPECT_EQ(each.size(), 3u);
        const auto expect = [&](const char* target, int n, const char* instance, int splits) {
            const tuned_choice* found = each.find(target, {{"N", n}});
            ASSERT_NE(found, nullptr);
            EXPECT_EQ(found->instance, instance);
            EXPECT_EQ(found->splits, splits);
        };
        expect("host:gfx942", 1, "instead", 4);
        expect("host:gfx942", 2, "second", 2);
        expect("hip:gfx942", 1, "third", 3);
        EXPECT_EQ(each.find("hip:gfx942", {{"N", 2}}), nullptr);
        EXPECT_EQ(each.find("hip:gfx90a", {{"N", 1}}), nullptr);
    }
}

TEST_F(TunedTable, RejectsOtherFiles)
{
    const auto missing = tuned_table::load("no/such/file", "op", anything);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.reason(), "the tuned table no/such/file must be a file that can be read (No such file or "
                                "directory): choose another path");
    const auto folder = tuned_table::load(testing::TempDir(), "op", anything);
    ASSERT_FALSE(folder);
    EXPECT_TRUE(folder.reason().ends_with(" must be a file that can be read (it is a folder): choose another path"));
    expect_rejected("{", "it is not JSON");
    expect_rejected("[]", "its operation is not op");
    expect_rejected(R"({"operation": "other", "choices": []})", "its operation is not op");
    expect_rejected(R"({"operation": "op"})", "it has no list of choices");
    const auto with = [](const std::string& choice) { return R"({"operation": "op", "choices": [)" + choice + "]}"; };
    const std::string good = R"({"target": "host", "problem": {}, "instance": "i", "splits": 1})";
    expect_rejected(with("7"), "choice 1: give an object with the texts target and instance, and the object problem");
    expect_rejected(with(R"({"target": "host", "problem": 3, "instance": "i", "splits": 1})"),
                    "choice 1: give an object with the texts target and instance, and the object problem");
    expect_rejected(with(R"({"target": "host", "problem": {}, "instance": "i", "splits": 0})"),
                    "choice 1: splits must be a whole number, 1 or more");
    expect_rejected(with(good + "," + good), "choice 2: an earlier one has the same target and problem");
}

// Copies of nested values go as deep as these do, and would end the program where the stack does.
TEST_F(TunedTable, RejectsDeepNesting)
{
    const std::string too_deep = "its brackets are nested more than 16 deep: name a file that --tune has written";
    const auto nested          = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    for(const int depth : {16, 200'000})
    {
        expect_rejected(nested(depth + 1), too_deep);
        expect_rejected(std::string(depth + 1, '['), too_deep);
        expect_rejected(R"({"operation": )" + nested(depth) + "}", too_deep);
        expect_rejected(R"({"operation": "op", "choices": [{"target": "host", "instance": "i", "splits": 1, "problem":
                           {"N": )" +
                            nested(depth) + "}}]}",
                        too_deep);
    }
    expect_rejected(nested(16), "its operation is not op");
}

TEST_F(TunedTable, StartsWhereThereIsNoneOrAnEmptyFile)
{
    std::filesystem::remove(file);
    const auto expect_added = [&](std::size_t size) {
        const status added = tuned_table::set_in_file(file, "op", anything, {"host", {{"N", size}}, "i", 1});
        ASSERT_TRUE(added) << added.reason();
        EXPECT_EQ(tuned_table::load(file, "op", anything)->size(), size);
    };
    EXPECT_EQ(tuned_table::load_or_start(file, "op", anything)->size(), 0u);
    EXPECT_FALSE(std::filesystem::exists(file));
    expect_added(1);
    expect_added(2);
    std::ofstream(file).close();
    EXPECT_FALSE(tuned_table::load(file, "op", anything));
    expect_added(1);

    // What is no table is not lost.
    std::ofstream(file) << "notes";
    EXPECT_FALSE(tuned_table::load_or_start(file, "op", anything));
    EXPECT_EQ(tuned_table::set_in_file(file, "op", anything, {"host", {{"N", 1}}, "i", 1}).reason(),
              "the tuned table " + file.string() + ": it is not JSON");
    EXPECT_EQ(*read_file(file), "notes");
}

TEST_F(TunedTable, KeepsWhatOthersSetAtTheSameTime)
{
    std::filesystem::remove(file);
    constexpr int writers = 4, choices = 12;
    std::vector<std::thread> all;
    for(int w = 0; w < writers; ++w)
        all.emplace_back([&, w] {
            for(int c = 0; c < choices; ++c)
                EXPECT_TRUE(
                    tuned_table::set_in_file(file, "op", anything, {"host", {{"writer", w}, {"N", c}}, "i", 1}));
        });
    for(std::thread& each : all)
        each.join();
    const auto loaded = tuned_table::load(file, "op", anything);
    ASSERT_TRUE(loaded) << loaded.reason();
    EXPECT_EQ(loaded->size(), static_cast<std::size_t>(writers * choices));
}

TEST_F(TunedTable, AsksTheOperation)
{
    std::ofstream(file) << R"({"operation": "op", "choices": [
        {"target": "host", "problem": {"n": 1}, "instance": "i", "splits": 1}]})";
    const auto refused =
        tuned_table::load(file, "op", [](tuned_choice& c) { return rejection{c.instance + " is unknown"}; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.reason(), "the tuned table " + file.string() + ": choice 1: i is unknown");
    const auto changed = tuned_table::load(file, "op", [](tuned_choice& c) {
        c.problem = {{"N", 1}};
        return status();
    });
    ASSERT_TRUE(changed);
    EXPECT_NE(changed->find("host", {{"N", 1}}), nullptr);
}

} // namespace
} // namespace ck_tile
