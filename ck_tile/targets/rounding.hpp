// SPDX-License-Identifier: MIT
// Which roundings a target has an instruction for.
#pragma once

namespace ck_tile
{

// From binary32 to bf16, to nearest, ties to even.
#if defined(__NVPTX__)
inline constexpr bool rounds_to_bf16 = true;
#else
inline constexpr bool rounds_to_bf16 = false;
#endif

} // namespace ck_tile
