// SPDX-License-Identifier: MIT
// What the example programs share: the numbers of command lines, progress, exit codes.
#include "ops/program/command_line.hpp"
#include "ops/program/progress_line.hpp"
#include "ops/reference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ck_tile::program
{

namespace
{

TEST(parse_integer, takes_whole_numbers_only)
{
    EXPECT_EQ(*parse_integer("K", "-12"), -12);
    EXPECT_EQ(parse_integer("K", "12x").reason(), "K must be a whole number, but is '12x'");
    EXPECT_EQ(parse_integer("K", "").reason(), "K must be a whole number, but is ''");
    EXPECT_EQ(parse_integer("K", "1e3").reason(), "K must be a whole number, but is '1e3'");
    EXPECT_EQ(parse_integer("K", "9223372036854775808").reason(), "K must fit 64 bits, but is 9223372036854775808");
}

// The buffer of standard output may hold all that a program prints, or none of it.
TEST(run_program_death_test, says_that_output_cannot_be_written_however_long_it_is)
{
    for(const std::size_t length : {1, 1 << 20})
    {
        const auto print = [&] {
            fmt::print("{}", std::string(length, 'x'));
            return 0;
        };
        EXPECT_EXIT(std::exit(std::freopen("/dev/full", "w", stdout) != nullptr ? run_program("it", print) : -1),
                    testing::ExitedWithCode(not_supported),
                    "^it: standard output must be a file that can be written \\(No space left on device\\): redirect "
                    "it to another\n$");
    }
}

TEST(progress, line)
{
    EXPECT_EQ(describe_progress("verifying", 1, 4, 2.0), "verifying: 25%, 6 s left [#####               ]");
    EXPECT_EQ(describe_progress("verifying", 4, 4, 2.0), "verifying: 100%, 0 s left [####################]");
}

TEST(progress, who_watches_is_told_of_all_work_of_the_thread_and_of_no_other)
{
    std::vector<std::int64_t> told;
    const auto loop = [] { on_all_cores(100, [](std::int64_t) {}); };
    {
        const watched_progress watched([&](std::int64_t done, std::int64_t count) {
            EXPECT_EQ(count, 100);
            told.push_back(done);
        });
        loop();
        std::sort(told.begin(), told.end());
        EXPECT_EQ(std::adjacent_find(told.begin(), told.end()), told.end());
        EXPECT_LE(told.size(), 100u);
        report_progress(100, 100);
        EXPECT_EQ(told.back(), 100);
        told.clear();
        const watched_progress nobody({});
        loop();
    }
    loop();
    EXPECT_TRUE(told.empty());
}

} // namespace

} // namespace ck_tile::program
