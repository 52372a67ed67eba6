// SPDX-License-Identifier: MIT
// What is shown of a text: letters of every language as they are, and nothing that moves a terminal's cursor.
#include "ck_tile/runtime/printable.hpp"

#include <gtest/gtest.h>

namespace ck_tile
{
namespace
{

using namespace std::string_literals;

TEST(printable, keeps_letters)
{
    for(const char* text : {"", "a b~", "\\x1b", "K\u00f6ln", "\u00a0", "\u6771\u4eac", "\U0001f600"})
        EXPECT_EQ(printable(text), text);
}

TEST(printable, writes_control_characters_as_numbers)
{
    EXPECT_EQ(printable("\x1b[2Jx\0y\t\n\r\x7f"s), R"(\x1b[2Jx\x00y\x09\x0a\x0d\x7f)");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              R"(\xc2\x9b2J)"); // the control character that begins a sequence, too
}

TEST(printable, writes_bytes_that_are_no_characters_as_numbers)
{
    EXPECT_EQ(printable("\x9b"), R"(\x9b)");
    EXPECT_EQ(printable("\xc3"), R"(\xc3)");
    EXPECT_EQ(printable("\xc3("), R"(\xc3()");
    EXPECT_EQ(printable("\xff\xfe"), R"(\xff\xfe)");
    EXPECT_EQ(printable("\xe0\x82\x9b"), R"(\xe0\x82\x9b)"); // in more bytes than it needs
    EXPECT_EQ(printable("\xf0\x80\x82\x9b"), R"(\xf0\x80\x82\x9b)");
    EXPECT_EQ(printable("\xe6\x9d"), R"(\xe6\x9d)"); // cut off
}

} // namespace
} // namespace ck_tile
