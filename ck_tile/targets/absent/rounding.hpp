// SPDX-License-Identifier: MIT
// Where no instruction rounds to bf16.
#pragma once

namespace ck_tile
{

inline constexpr bool rounds_to_bf16 = false;

} // namespace ck_tile
