// SPDX-License-Identifier: MIT
// A broken rule of a configuration: what must hold, the value that does not, what to do. What an operation's check() returns.
#pragma once

namespace ck_tile
{

// The value that breaks a rule: a number, or the name of one of a set.
struct offender
{
    int number       = 0;
    const char* name = nullptr;

    constexpr offender() = default;
    constexpr offender(int n) : number(n) {}
    constexpr offender(const char* n) : name(n) {}
};

struct violation
{
    const char* rule = nullptr; // null: nothing is broken
    offender value   = {};
    const char* fix  = "";

    constexpr explicit operator bool() const { return rule != nullptr; }
};

} // namespace ck_tile
