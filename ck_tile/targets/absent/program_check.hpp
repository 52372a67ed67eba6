// SPDX-License-Identifier: MIT
// Where programs are not checked while they run: the checker is the CPU's.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

inline constexpr bool checks_programs = false;

struct source_line
{
    static consteval source_line current() { return {}; }
};

struct verb_scope
{
    CK_TILE_FN verb_scope(const char*, source_line) {}
};

struct role_scope
{
    CK_TILE_FN role_scope(int, int) {}
};

template <class F>
CK_TILE_FN void tell_checker(F&&)
{
}

CK_TILE_FN void check_lds_read(const void*, int) {}
CK_TILE_FN void check_lds_write(const void*, const void*, int) {}

template <class T>
using lds_pointer = T*;

} // namespace ck_tile
