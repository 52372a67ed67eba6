// SPDX-License-Identifier: MIT
// What the example programs share: the numbers of command lines.
#include "ops/program/command_line.hpp"

#include <gtest/gtest.h>

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

} // namespace

} // namespace ck_tile::program
