// SPDX-License-Identifier: MIT
// The GPU code that is linked into a program: one code object per source and architecture, embedded by the build.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ck_tile
{

struct code_object
{
    std::string_view architecture;        // as the compiler was told: "gfx942", "gfx11-generic"; "sm90"
    std::span<const unsigned char> image; // an ELF file, or PTX with a 0 at its end
};

// All that the program and its libraries have at present, see add_code_object.hpp. Any thread may ask.
std::vector<code_object> all_code_objects();

} // namespace ck_tile
