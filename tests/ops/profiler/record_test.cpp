// SPDX-License-Identifier: MIT
// What the profiler says of what it has measured: the order of rows, and of numbers that make no sense that they do not.
#include "ops/profiler/history.hpp"
#include "ops/profiler/limits.hpp"
#include "ops/profiler/record.hpp"

#include <gtest/gtest.h>

namespace ck_tile::profiler
{
namespace
{

row measured(const char* id, double median, double spread = 0.01)
{
    return {{.id = id, .instance = std::string("long_") + id}, {.time = timing{median, 0.9 * median, spread, 20}}, {}};
}

row verified(row r, std::int64_t failures)
{
    r.result.verified =
        verdict{{.elements = 4, .failures = failures, .worst = 2, .expected = 1, .actual = 2, .error = 1, .bound = 0.1},
                "out",
                {2, 2}};
    return r;
}

// 1e9 bytes and 1e12 operations: in 1 ms, 1000 GB/s and 1000 TFLOP/s.
record example()
{
    record r;
    r.operation   = "operation";
    r.problem     = {{"N", 1}, {"dtype", "fp16"}};
    r.floor_bytes = 1e9;
    r.flops       = 1e12;
    return r;
}

ceilings limits(double copy, double matrix) { return {.copy_gb_per_s = copy, .matrix_tflops = {{"fp16", matrix}}}; }

TEST(make_timing, has_the_median_and_the_spread)
{
    const timing t = make_timing({3, 1, 2, 5, 4, 6, 7, 8, 9, 10, 110});
    EXPECT_EQ(t.median, 6);
    EXPECT_EQ(t.least, 1);
    EXPECT_DOUBLE_EQ(t.spread, (10. - 2) / 6); // one run of eleven that took long does not count
    EXPECT_EQ(t.repeats, 11);
    EXPECT_EQ(make_timing({2}).spread, 0);
}

TEST(record, has_what_is_right_first)
{
    record r = example();
    r.rows   = {measured("slow", 3),
                verified(measured("wrong", 1), 2),
                measured("fast", 2),
                {{.id = "failed", .instance = "long_failed"}, {.error = "no memory"}, {}}};
    finish(r, {});
    std::vector<std::string> ids;
    for(const row& each : r.rows)
        ids.push_back(each.plan.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"fast", "slow", "wrong", "failed"}));
    EXPECT_EQ(fastest_of(r), &r.rows.front());
    const std::string table = print(r, {}, false);
    EXPECT_NE(table.find("WRONG"), table.npos) << table;
    EXPECT_NE(table.find("wrong: out is wrong: 2 of 4 elements are wrong, largest error 1, bound 0.1, expected 1, "
                         "actual 2 at {1, 0}"),
              table.npos)
        << table;
    EXPECT_NE(table.find("failed: no memory"), table.npos) << table;

    r.rows = {verified(measured("wrong", 1), 1)};
    finish(r, {});
    EXPECT_EQ(fastest_of(r), nullptr);
}

TEST(record, says_what_makes_no_sense)
{
    const auto notes_of = [](const row& measured_row, const ceilings& c) {
        record r = example();
        r.rows   = {measured_row};
        finish(r, c);
        return r.rows[0].notes;
    };
    EXPECT_TRUE(notes_of(measured("a", 1), limits(1000, 1000)).empty());
    EXPECT_TRUE(notes_of(measured("a", 1), {}).empty());
    EXPECT_EQ(
        notes_of(measured("a", 1), limits(800, 1000)),
        std::vector<std::string>{"125% of a ceiling: bytes of its floor faster than a copy: caches held some of them"});
    EXPECT_EQ(notes_of(measured("a", 1), limits(1000, 500)),
              std::vector<std::string>{"200% of a ceiling: operations faster than a large product of matrices"});
    EXPECT_EQ(notes_of(measured("a", 1, 0.25), {}), std::vector<std::string>{"its times spread by 25%"});

    record r = example();
    r.rows   = {measured("a", 1, 0.25), measured("b", 2, 0.09)};
    finish(r, {});
    ASSERT_EQ(r.notes.size(), 1u);
    EXPECT_TRUE(r.notes[0].starts_with("times of 1 plans, marked !, spread by more than 10%, up to 25%")) << r.notes[0];
    EXPECT_NE(print(r, {}, false).find("25%!"), std::string::npos);
}

TEST(describe_clocks, says_when_they_changed)
{
    EXPECT_EQ(describe_clocks(2, 2.09), "");
    EXPECT_EQ(describe_clocks(2, 1.91), "");
    EXPECT_EQ(describe_clocks(2, 2.2),
              "the device's clocks changed: a product of matrices that took 2.000 ms takes 2.200 ms "
              "after this problem");
    EXPECT_NE(describe_clocks(2, 1.8), "");
}

TEST(record, compares_the_plan_with_the_fastest)
{
    record r              = example();
    r.rows                = {measured("a", 1), measured("b", 1.5)};
    r.rows[1].plan.chosen = true;
    finish(r, limits(2000, 1000));
    const std::string table = print(r, limits(2000, 1000), false);
    EXPECT_NE(table.find("the plan takes 1.50 times as long as the fastest"), table.npos) << table;
    EXPECT_NE(table.find("50%    100%"), table.npos) << table; // of a copy, of a product
}

TEST(to_csv, quotes_what_has_commas)
{
    record r = example();
    r.number = "1, \"a\"";
    r.rows   = {measured("a", 1)};
    finish(r, {});
    const std::string text = to_csv({.target = "host:gfx942", .records = {r}});
    EXPECT_NE(text.find("\r\noperation,\"1, "
                        "\"\"a\"\"\",,host:gfx942,fp16,\"{\"\"N\"\":1,\"\"dtype\"\":\"\"fp16\"\"}\",a,long_a,,false,"
                        "false,1,0.9,0.01,1000,1000,,,-,\r\n"),
              text.npos)
        << text;
}

TEST(compare_profiles, leaves_out_what_is_within_the_spread)
{
    const auto profile_of = [](double a, double b, double spread) {
        record r = example();
        r.rows   = {measured("a", a, spread), measured("b", b, spread)};
        finish(r, {});
        return to_json({.records = {r}}, harness::verification::none);
    };
    EXPECT_EQ(compare_profiles(profile_of(1, 2, 0), profile_of(1.01, 1.97, 0)),
              "0 slower, 0 faster, 2 within their spread, 0 new, 0 no longer measured\n");
    EXPECT_EQ(compare_profiles(profile_of(1, 2, 0.2), profile_of(1.15, 1.7, 0)),
              "0 slower, 0 faster, 2 within their spread, 0 new, 0 no longer measured\n");
    const std::string changed = compare_profiles(profile_of(1, 2, 0.1), profile_of(1.15, 1.7, 0));
    EXPECT_NE(changed.find("slower  operation, fp16  a"), changed.npos) << changed;
    EXPECT_NE(changed.find("faster  operation, fp16  b"), changed.npos) << changed;
    EXPECT_NE(changed.find("1 slower, 1 faster, 0 within"), changed.npos) << changed;
}

} // namespace
} // namespace ck_tile::profiler
