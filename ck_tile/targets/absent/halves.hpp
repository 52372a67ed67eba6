// SPDX-License-Identifier: MIT
// Where the compiler finds out by itself how to join halves of words.
#pragma once

namespace ck_tile
{

inline constexpr bool joins_halves = false;

template <int Low, int High>
unsigned join_halves(unsigned low, unsigned high);

} // namespace ck_tile
