// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace ck_tile
{
namespace
{

// How many bytes the character at the start of a text has, 0 where there is none that can be shown. Longer forms than a character
// needs are none: they could hide a control character.
std::size_t bytes_of_character(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if(byte(0) < 0x80)
        return byte(0) >= ' ' && byte(0) != 0x7f ? 1 : 0;
    const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if(byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size ||
       !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }))
        return 0;
    const bool control  = byte(0) == 0xc2 && byte(1) < 0xa0;
    const bool too_long = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
    return control || too_long ? 0 : size;
}

} // namespace

std::string printable(std::string_view text)
{
    std::string shown;
    while(!text.empty())
    {
        const std::size_t bytes = bytes_of_character(text);
        if(bytes == 0)
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        else
            shown += text.substr(0, bytes);
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return shown;
}

} // namespace ck_tile
