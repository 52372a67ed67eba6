// SPDX-License-Identifier: MIT
// What a group normalisation may be, and the shapes of its tensors.
#include "ops/groupnorm/problem.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ck_tile::groupnorm
{
namespace
{

TEST(Problem, RejectionsSayRuleValueAndFix)
{
    const auto reason = [](auto&& change) {
        problem p;
        change(p);
        const status s = validate(p);
        return s ? std::string("accepted") : s.reason();
    };
    EXPECT_EQ(reason([](problem&) {}), "accepted");
    EXPECT_EQ(reason([](problem& p) { p.batch = 0; }), "accepted");
    EXPECT_EQ(reason([](problem& p) { p.spatial = 4; }),
              "an image must have 1, 2 or 3 dimensions, but has 4: choose one of them");
    EXPECT_EQ(reason([](problem& p) { p.batch = -1; }), "N must be zero or positive, but is -1: choose 0 or more");
    EXPECT_EQ(reason([](problem& p) { p.groups = 0; }), "G must be positive, but is 0: choose 1 or more");
    EXPECT_EQ(reason([](problem& p) { p.image[1] = 0; }),
              "the image's length in dimension W must be positive, but is 0: choose 1 or more");
    EXPECT_EQ(reason([](problem& p) { p.c = std::int64_t(1) << 31; }),
              "C must fit 32 bits, but is 2147483648: choose 2147483647 or less");
    EXPECT_EQ(reason([](problem& p) { p.image = {1 << 16, 1 << 16}; }),
              "the pixels of an image must fit 32 bits, but are 4294967296: choose smaller lengths");
    EXPECT_EQ(reason([](problem& p) { p.image = {1 << 30, 1 << 30}; }),
              "a tensor must have less than 2^63 bytes, but has 16 * 1073741824 * 1073741824 * 32 * 64 elements of 4 "
              "bytes: choose smaller lengths");
}

TEST(Problem, ShapesFollowTheLayout)
{
    problem p = {.spatial = 2, .batch = 2, .image = {3, 4}, .groups = 5, .c = 6};
    EXPECT_EQ(image_shape(p).lengths, (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
    p.layout = layout::ngchw;
    EXPECT_EQ(image_shape(p).lengths, (std::vector<std::int64_t>{2, 5, 6, 3, 4}));
    EXPECT_EQ(image_shape(p).strides, (std::vector<std::int64_t>{360, 72, 12, 4, 1}));
    EXPECT_EQ(parameter_shape(p).lengths, (std::vector<std::int64_t>{5, 6}));
    EXPECT_EQ(statistic_shape(p).lengths, (std::vector<std::int64_t>{2, 5}));
    EXPECT_EQ(p.group_elements(), 72);
}

} // namespace
} // namespace ck_tile::groupnorm
