// SPDX-License-Identifier: MIT
// A problem of any family survives the way through JSON; other JSON is rejected with the reason.
#include "ops/problem_fields.hpp"

#include "ops/avgpool/problem.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/groupnorm/problem.hpp"
#include "ops/maxpool/problem.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile
{
namespace
{

using json = nlohmann::ordered_json;

conv::problem random_convolution(random_numbers& random)
{
    conv::problem p = {.spatial = random.between(1, 3),
                       .groups  = random.between(1, 9),
                       .batch   = random.between(0, 9),
                       .k       = random.between(1, 99),
                       .c       = random.between(1, 99),
                       .type    = static_cast<data_type>(random.between(0, 2)),
                       .layout  = static_cast<conv::layout>(random.between(0, 2))};
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
    {
        p.filter[d] = random.between(1, 3), p.input[d] = random.between(9, 20), p.stride[d] = random.between(1, 3);
        p.dilation[d] = random.between(1, 3), p.left_pad[d] = random.between(0, 3);
        p.right_pad[d] = random.between(0, 3);
    }
    return p;
}

// A pooling of any family: what it has beside sizes is drawn by the caller.
template <class Problem>
Problem random_pooling(random_numbers& random)
{
    Problem p;
    p.batch = random.between(0, 9), p.channels = random.between(1, 99), p.ceil_mode = random.between(0, 1) == 1;
    p.type   = static_cast<data_type>(random.between(0, 2));
    p.layout = static_cast<pooling::layout>(random.between(0, 1));
    for(std::size_t d = 0; d < 2; ++d)
    {
        p.window[d] = random.between(3, 5), p.input[d] = random.between(9, 20), p.stride[d] = random.between(1, 3);
        p.left_pad[d] = random.between(0, 2), p.right_pad[d] = random.between(0, 2);
    }
    return p;
}

maxpool::problem random_max_pooling(random_numbers& random)
{
    auto p     = random_pooling<maxpool::problem>(random);
    p.indices  = static_cast<maxpool::indices>(random.between(0, 3));
    p.dilation = {random.between(1, 2), random.between(1, 2)};
    return p;
}

avgpool::problem random_average_pooling(random_numbers& random)
{
    auto p              = random_pooling<avgpool::problem>(random);
    p.count_include_pad = random.between(0, 1) == 1;
    p.divisor_override  = static_cast<float>(random.between(0, 3)) / 2;
    return p;
}

groupnorm::problem random_group_norm(random_numbers& random)
{
    groupnorm::problem p = {.spatial = random.between(1, 3),
                            .batch   = random.between(0, 9),
                            .groups  = random.between(1, 9),
                            .c       = random.between(1, 99),
                            .type    = static_cast<data_type>(random.between(0, 2)),
                            .layout  = static_cast<groupnorm::layout>(random.between(0, 1))};
    for(std::int64_t& length : p.image)
        length = random.between(1, 20);
    return p;
}

// Also with the keys in another order, and those of the default problem left out.
template <class Problem>
void expect_round_trip(const Problem& p)
{
    const json written = json::parse(problem_to_json(p).dump()), defaults = problem_to_json(Problem{});
    json sparse = json::object();
    for(auto each = written.rbegin(); each != written.rend(); ++each)
        if(defaults.at(each.key()) != *each)
            sparse[each.key()] = *each;
    for(const auto& read : {problem_from_json<Problem>(written), problem_from_json<Problem>(sparse, defaults)})
    {
        ASSERT_TRUE(read) << read.reason() << "; " << describe(p);
        EXPECT_EQ(describe(*read), describe(p));
        EXPECT_EQ(problem_to_json(*read), problem_to_json(p));
    }
}

TEST(ProblemFields, JsonReadsWhatItWrites)
{
    random_numbers random(5);
    for(int i = 0; i < 300; ++i)
    {
        expect_round_trip(random_convolution(random));
        expect_round_trip(random_max_pooling(random));
        expect_round_trip(random_average_pooling(random));
        expect_round_trip(random_group_norm(random));
    }
}

TEST(ProblemFields, JsonHasTheFieldsInTheirOrder)
{
    EXPECT_EQ(problem_to_json(conv::problem{.spatial = 1}).dump(),
              R"({"ndim":1,"G":4,"N":1,"K":128,"C":256,"filter":[3],"input":[14],"strides":[1],"dilations":[1],)"
              R"("left_pads":[1],"right_pads":[1],"dtype":"fp16","layout":"nhwgc"})");
    EXPECT_EQ(problem_to_json(maxpool::problem{}).dump(),
              R"({"N":1,"C":1,"input":[32,32],"window":[3,3],"strides":[1,1],"dilations":[1,1],"left_pads":[0,0],)"
              R"("right_pads":[0,0],"ceil":false,"indices":"u8","dtype":"fp16","layout":"nhwc"})");
    EXPECT_EQ(
        problem_to_json(avgpool::problem{}).dump(),
        R"({"N":1,"C":1,"input":[32,32],"window":[3,3],"strides":[1,1],"left_pads":[0,0],"right_pads":[0,0],"ceil":false,)"
        R"("count_include_pad":true,"divisor_override":0.0,"dtype":"fp16","layout":"nhwc"})");
    EXPECT_EQ(problem_to_json(groupnorm::problem{.spatial = 3, .image = {2, 3, 4}}).dump(),
              R"({"N":16,"image":[2,3,4],"G":32,"C":64,"dtype":"fp32","layout":"nhwgc"})");
}

// What `change` makes of the JSON of a problem is rejected so.
template <class Problem, class Change>
void expect_rejected(const Problem& p, Change&& change, const std::string& why)
{
    json given = problem_to_json(p);
    change(given);
    const auto read = problem_from_json<Problem>(given);
    ASSERT_FALSE(read) << why;
    EXPECT_EQ(read.reason(), why);
}

TEST(ProblemFields, OtherJsonIsRejected)
{
    const auto convolution = [](auto&& change, const std::string& why) {
        expect_rejected(conv::problem{.spatial = 2}, change, why);
    };
    convolution([](json& j) { j["ndim"] = 4; }, "a problem's ndim must be from 1 to 3, but is 4");
    convolution([](json& j) { j["ndim"] = "2"; }, "a problem's ndim must be from 1 to 3, but is \"2\"");
    convolution([](json& j) { j = 7; }, "a problem must be an object");
    convolution([](json& j) { j.erase("K"); }, "a problem's K must be a whole number, but is not given");
    convolution([](json& j) { j["K"] = "8"; }, "a problem's K must be a whole number, but is \"8\"");
    convolution([](json& j) { j["K"] = 8.0; }, "a problem's K must be a whole number, but is 8.0");
    convolution([](json& j) { j["filter"] = {3}; }, "a problem's filter must be a list of 2 whole numbers, but is [3]");
    convolution([](json& j) { j["input"] = {3, 0.5}; },
                "a problem's input must be a list of 2 whole numbers, but is [3,0.5]");
    convolution([](json& j) { j["dtype"] = "fp8"; },
                "a problem's dtype must be one of fp16, bf16, fp32, but is \"fp8\"");
    convolution([](json& j) { j["dtype"] = 16; }, "a problem's dtype must be one of fp16, bf16, fp32, but is 16");
    convolution([](json& j) { j["layout"] = "nchw"; },
                "a problem's layout must be one of nhwgc, gnhwc, ngchw, but is \"nchw\"");
    convolution([](json& j) { j["bias"] = true; },
                "a problem has no bias: its fields are ndim, G, N, K, C, filter, input, strides, dilations, left_pads, "
                "right_pads, dtype, layout");
    convolution([](json& j) { j["G"] = 0; }, "G must be positive, but is 0: choose 1 or more");

    const auto pooling = [](auto&& change, const std::string& why) {
        expect_rejected(maxpool::problem{}, change, why);
    };
    pooling([](json& j) { j["ceil"] = 1; }, "a problem's ceil must be true or false, but is 1");
    pooling([](json& j) { j["window"] = {3, 3, 3}; },
            "a problem's window must be a list of 2 whole numbers, but is [3,3,3]");
    pooling([](json& j) { j["indices"] = "u16"; },
            "a problem's indices must be one of u8, int32, int64, recompute, but is \"u16\"");

    const auto averages = [](auto&& change, const std::string& why) {
        expect_rejected(avgpool::problem{}, change, why);
    };
    averages([](json& j) { j["divisor_override"] = "9"; },
             "a problem's divisor_override must be a number, but is \"9\"");
    averages([](json& j) { j["divisor_override"] = -1; },
             "divisor_override must be zero, for none, or a positive number, but is -1: choose 0 or more");
    averages([](json& j) { j["dilations"] = {1, 1}; },
             "a problem has no dilations: its fields are N, C, input, window, strides, left_pads, right_pads, ceil, "
             "count_include_pad, divisor_override, dtype, layout");

    const auto group_norm = [](auto&& change, const std::string& why) {
        expect_rejected(groupnorm::problem{}, change, why);
    };
    group_norm([](json& j) { j["image"] = json::array(); },
               "a problem's image must be a list of 1 to 3 whole numbers, but is []");
    group_norm([](json& j) { j["image"] = {1, 2, 3, 4}; },
               "a problem's image must be a list of 1 to 3 whole numbers, but is [1,2,3,4]");
    group_norm([](json& j) { j["image"] = 8; }, "a problem's image must be a list of 1 to 3 whole numbers, but is 8");
    group_norm([](json& j) { j["image"] = {8, "8"}; },
               "a problem's image must be a list of 2 whole numbers, but is [8,\"8\"]");
}

TEST(ProblemFields, DefaultsDoNotHideWhatIsGiven)
{
    const json defaults = problem_to_json(groupnorm::problem{});
    const auto read     = problem_from_json<groupnorm::problem>({{"N", 3}, {"image", {7}}}, defaults);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(describe(*read), "groupnorm nhwgc fp32 N3 image 7 G32 C64");
    EXPECT_EQ(problem_from_json<groupnorm::problem>({{"N", "3"}}, defaults).reason(),
              "a problem's N must be a whole number, but is \"3\"");
    EXPECT_EQ(problem_from_json<groupnorm::problem>({{"channels", 3}}, defaults).reason(),
              "a problem has no channels: its fields are N, image, G, C, dtype, layout");
}

} // namespace
} // namespace ck_tile
