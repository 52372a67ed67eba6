// SPDX-License-Identifier: MIT
// A broken rule: what must hold, the value that does not, what to do. What every check() returns.
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

// A violation as a sentence for the compiler: "<rule>, but one is <value>: <fix>".
struct message
{
    static constexpr int capacity = 512;
    char text[capacity]           = {};
    int length                    = 0;

    constexpr explicit message(const violation& v)
    {
        append(v.rule == nullptr ? "nothing is broken" : v.rule);
        append(", but one is ");
        if(v.value.name != nullptr)
            append(v.value.name);
        else
            append(v.value.number);
        append(": ");
        append(v.fix);
    }

    constexpr const char* data() const { return text; }
    constexpr decltype(sizeof 0) size() const { return static_cast<decltype(sizeof 0)>(length); }

  private:
    constexpr void append(const char* s)
    {
        while(*s != 0 && length < capacity)
            text[length++] = *s++;
    }
    constexpr void append(int n)
    {
        if(n < 0)
            append("-");
        if(n / 10 != 0)
            append(n < 0 ? -(n / 10) : n / 10);
        const char digit[] = {static_cast<char>('0' + (n < 0 ? -(n % 10) : n % 10)), 0};
        append(digit);
    }
};

} // namespace ck_tile

// Rejects a violation at compile time by its own sentence: clang since 17 takes it, in C++20 as an extension.
#define CK_TILE_REJECT(...)                                                                                            \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc++26-extensions\"") static_assert(         \
        !(__VA_ARGS__), ::ck_tile::message(__VA_ARGS__));                                                              \
    _Pragma("clang diagnostic pop") static_assert(true)
