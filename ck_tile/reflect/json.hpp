// SPDX-License-Identifier: MIT
// Described structs as JSON, and back.
#pragma once

#include "ck_tile/reflect/text.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace ck_tile::reflect
{

using json = nlohmann::ordered_json;

// {"arch": "gfx942", "block": {"m": 128, "n": 128, "k": 32}, ...}
template <class T>
json to_json(const T& value)
{
    if constexpr(described<T>)
    {
        json object = json::object();
        each_member(value,
                    [&](std::string_view name, const auto& member) { object[std::string(name)] = to_json(member); });
        return object;
    }
    else if constexpr(enumeration<T>)
        return name_of(value);
    else
        return value;
}

namespace detail
{
// Reads the part get(whole), of which `from` is the JSON.
template <class T, class Get>
status read_json(const json& from, const std::string& where, T& whole, Get get)
{
    using M             = std::remove_cvref_t<decltype(get(whole))>;
    const auto rejected = [&](const std::string& wanted) {
        return rejection{fmt::format("{}: {} is not allowed: {}", where, from.dump(), wanted)};
    };
    if constexpr(described<M>)
    {
        if(!from.is_object())
            return rejected("give an object");
        status read;
        std::string names;
        const auto read_member = [&](std::string_view name, const auto& accessor) {
            const std::string key(name);
            names += (names.empty() ? "" : ", ") + key;
            if(read && from.contains(key))
                read = read_json(from.at(key), where + "." + key, whole, accessor);
            else if(read && !has_default<T, std::remove_cvref_t<decltype(accessor)>>)
                read = rejection{fmt::format("{}: {} is missing", where, key)};
        };
        each_accessor<M>(read_member, get);
        for(const auto& [key, ignored] : from.items())
        {
            bool known = false;
            each_member(get(whole), [&](std::string_view name, const auto&) { known = known || name == key; });
            if(read && !known)
                read = rejection{fmt::format("{}: unknown key {}; allowed are {}", where, key, names)};
        }
        return read;
    }
    else if constexpr(enumeration<M>)
    {
        const auto found = from.is_string() ? value_of<M>(from.get<std::string>(), choosable) : std::nullopt;
        if(!found)
            return rejected("choose from " + choices<M>(choosable));
        get(whole) = *found;
        return {};
    }
    else
    {
        if(!from.is_number_integer() || from < std::numeric_limits<M>::min() || from > std::numeric_limits<M>::max())
            return rejected("give a whole number");
        get(whole) = from.get<M>();
        return {};
    }
}
} // namespace detail

// Reads what to_json writes; a member that is left out has the struct's default. Rejects unknown members, missing ones that
// have none, and values of the wrong kind; `where` leads the reason.
template <described T>
result<T> from_json(const json& from, const std::string& where)
{
    T value           = {};
    const status read = detail::read_json(from, where, value, detail::itself{});
    if(!read)
        return rejection{read.reason()};
    return value;
}

} // namespace ck_tile::reflect
