// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace ck_tile
{

// A text that a terminal shows and does not obey, whatever file it came from: control characters, and bytes that are no UTF-8, are
// written as \x1b.
std::string printable(std::string_view text);

} // namespace ck_tile
