// SPDX-License-Identifier: MIT
// Lanes exchange whole words: a value of two bytes is none.
// expect: exchange_lanes: lanes exchange words of 4 bytes
#include "ck_tile/verbs/exchange.hpp"

using namespace ck_tile;

using value              = std::conditional_t<CK_TILE_BROKEN, short, int>;
constexpr distribution d = {.lengths = {32}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {}, .vec = {}};

auto neighbours(const detail::per_thread<value, copies_of(d.threads())>& x) { return exchange_lanes<d>(x, 1); }
