// SPDX-License-Identifier: MIT
// Described configurations as text: the canonical name and back, a printout, the C++ value.
//
// A name is the operation's, and a word per member: an enumeration its identifier, a number the member's name and the digits
// (`spatial2`), a struct of numbers the member's name and all of them (`block128x128x32`). Names are C++ identifiers.
#pragma once

#include "ck_tile/numeric/choices.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ck_tile/reflect/members.hpp"
#include "ck_tile/runtime/status.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace ck_tile::reflect
{

// The rule, the value that breaks it, what to do.
inline std::string describe(const violation& v)
{
    const message text(v);
    return {text.data(), text.size()};
}

namespace detail
{
// What `word` makes of each member's name and value, parted by `separator`.
template <described T, class Word>
std::string join(const T& c, std::string_view separator, Word&& word)
{
    std::string text;
    each_member(c, [&](std::string_view name, const auto& member) {
        text += fmt::format("{}{}", text.empty() ? "" : separator, word(name, member));
    });
    return text;
}

// The value of a member that has no members of its own.
template <class T>
std::string leaf(const T& member)
{
    if constexpr(enumeration<T>)
        return name_of(member);
    else
        return std::to_string(member);
}

// Takes `word` off the front of `text`.
inline bool take(std::string_view& text, std::string_view word)
{
    const bool found = text.starts_with(word);
    text.remove_prefix(found ? word.size() : 0);
    return found;
}

inline status take_number(std::string_view& text, std::string_view member, int& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if(error != std::errc() || number < 0)
        return rejection{fmt::format("{} is to be followed by a number, not by '{}'", member, text)};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return {};
}

template <class T>
std::string word_of(std::string_view name, const T& member)
{
    if constexpr(enumeration<T>)
        return leaf(member);
    else if constexpr(described<T>)
        return fmt::format("{}{}", name, join(member, "x", [](auto, int number) { return leaf(number); }));
    else
        return fmt::format("{}{}", name, member);
}

template <class T>
status take_word(std::string_view& text, std::string_view name, T& member)
{
    if constexpr(enumeration<T>)
    {
        // The longest that fits: one name may begin with another.
        std::string_view longest;
        for(const auto& e : enumerators<T>::all)
            if(const std::string_view one = e.name;
               choosable(e.value) && text.starts_with(one) && one.size() >= longest.size())
                member = e.value, longest = one;
        if(longest.empty())
            return rejection{fmt::format("'{}' does not begin with a value of {}: choose from {}", text, name,
                                         choices<T>(choosable))};
        take(text, longest);
        return {};
    }
    else
    {
        if(!take(text, name))
            return rejection{fmt::format("'{}' does not begin with {}", text, name)};
        if constexpr(std::same_as<T, int>)
            return take_number(text, name, member);
        else
        {
            status all;
            bool first = true;
            each_member(member, [&](std::string_view, int& number) {
                if(all && !first && !take(text, "x"))
                    all = rejection{fmt::format("the numbers of {} are to be parted by x at '{}'", name, text)};
                if(all)
                    all = take_number(text, name, number);
                first = false;
            });
            return all;
        }
    }
}

} // namespace detail

// The canonical name of a configuration of an operation.
template <described T>
std::string instance_name(std::string_view operation, const T& c)
{
    std::string name(operation);
    each_member(c, [&](std::string_view member, const auto& value) { name += "_" + detail::word_of(member, value); });
    return name;
}

// The configuration that a canonical name stands for. Rejects all other text, and says where it leaves the form.
template <described T>
result<T> parse_instance_name(std::string_view operation, std::string_view name)
{
    T c                   = {};
    std::string_view rest = name;
    status read;
    if(!detail::take(rest, operation))
        read = rejection{fmt::format("it does not begin with {}", operation)};
    each_member(c, [&](std::string_view member, auto& value) {
        if(read && !detail::take(rest, "_"))
            read = rejection{fmt::format("_ and {} are to follow at '{}'", member, rest)};
        if(read)
            read = detail::take_word(rest, member, value);
    });
    if(read && !rest.empty())
        read = rejection{fmt::format("nothing is to follow at '{}'", rest)};
    if(!read)
        return rejection{fmt::format("'{}' is not the name of an instance: {}", name, read.reason())};
    return c;
}

// "arch gfx942, dtype fp16, block (m 128, n 128, k 32)"
template <described T>
std::string print(const T& c)
{
    return detail::join(c, ", ", [](std::string_view name, const auto& member) {
        if constexpr(described<decltype(member)>)
            return fmt::format("{} ({})", name, print(member));
        else
            return fmt::format("{} {}", name, detail::leaf(member));
    });
}

// "{.arch = architecture::gfx942, .block = {.m = 128, .n = 128, .k = 32}}", for sources in namespace ck_tile.
template <described T>
std::string literal(const T& c)
{
    std::string text;
    detail::each_own_accessor<T>([&](std::string_view name, const auto& accessor) {
        const auto& member = accessor(c);
        using M            = std::remove_cvref_t<decltype(member)>;
        text += fmt::format("{}.{} = ", text.empty() ? "" : ", ", name);
        if constexpr(described<M>)
            text += literal(member);
        else if constexpr(enumeration<M>)
            text += fmt::format("{}::{}", enumerators<M>::type, name_of(member));
        else
            text += detail::leaf(member);
    });
    return "{" + text + "}";
}

} // namespace ck_tile::reflect
