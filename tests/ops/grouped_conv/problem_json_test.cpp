// SPDX-License-Identifier: MIT
// A problem survives the way through JSON; other JSON is rejected with the reason.
#include "ops/grouped_conv/problem_json.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile::conv
{
namespace
{

using json = nlohmann::ordered_json;

TEST(ProblemJson, ReadsWhatItWrites)
{
    random_numbers random(5);
    for(int i = 0; i < 300; ++i)
    {
        problem p = {.spatial = random.between(1, 3),
                     .groups  = random.between(1, 9),
                     .batch   = random.between(0, 9),
                     .k       = random.between(1, 99),
                     .c       = random.between(1, 99),
                     .type    = static_cast<data_type>(random.between(0, 2)),
                     .layout  = static_cast<layout>(random.between(0, 2))};
        for(int d = 0; d < p.spatial; ++d)
        {
            p.filter[d] = random.between(1, 3), p.input[d] = random.between(9, 20), p.stride[d] = random.between(1, 3);
            p.dilation[d] = random.between(1, 3), p.left_pad[d] = random.between(0, 3);
            p.right_pad[d] = random.between(0, 3);
        }
        const auto read = problem_from_json(json::parse(to_json(p).dump()));
        ASSERT_TRUE(read) << read.reason();
        EXPECT_EQ(describe(*read), describe(p));
        EXPECT_EQ(to_json(*read), to_json(p));
    }
}

TEST(ProblemJson, RejectsOtherJson)
{
    const auto expect = [](auto&& change, const std::string& why) {
        problem p;
        p.spatial  = 2;
        json given = to_json(p);
        change(given);
        const auto read = problem_from_json(given);
        ASSERT_FALSE(read) << why;
        EXPECT_EQ(read.reason(), why);
    };
    expect([](json& j) { j["ndim"] = 4; }, "a problem's ndim must be 1, 2 or 3");
    expect([](json& j) { j = 7; }, "a problem's ndim must be 1, 2 or 3");
    expect([](json& j) { j.erase("K"); }, "a problem's K must be a whole number");
    expect([](json& j) { j["K"] = "8"; }, "a problem's K must be a whole number");
    expect([](json& j) { j["filter"] = {3}; }, "a problem's filter must be a list of 2 whole numbers");
    expect([](json& j) { j["input"] = {3, 0.5}; }, "a problem's input must be a list of 2 whole numbers");
    expect([](json& j) { j["dtype"] = "fp8"; }, "a problem's dtype must be one of fp16, bf16, fp32");
    expect([](json& j) { j["layout"] = "nchw"; }, "a problem's layout must be one of nhwgc, gnhwc, ngchw");
    expect([](json& j) { j["bias"] = true; }, "a problem has no bias");
    expect([](json& j) { j["G"] = 0; }, "G must be positive, but is 0: choose 1 or more");
}

} // namespace
} // namespace ck_tile::conv
