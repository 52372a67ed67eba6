// SPDX-License-Identifier: MIT
// Described configurations as JSON, and what JSON may say: a schema for editors, the list of fields for the generator.
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

// Reads what to_json writes. Rejects unknown and missing members and values of the wrong kind; `where` leads the reason.
template <class T>
result<T> from_json(const json& from, const std::string& where)
{
    const auto rejected = [&](const std::string& wanted) {
        return rejection{fmt::format("{}: {} is not allowed: {}", where, from.dump(), wanted)};
    };
    T value = {};
    if constexpr(described<T>)
    {
        if(!from.is_object())
            return rejected("give an object");
        status read;
        std::string names;
        each_member(value, [&](std::string_view name, auto& member) {
            const std::string key(name);
            names += (names.empty() ? "" : ", ") + key;
            if(read && !from.contains(key))
                read = rejection{fmt::format("{}: {} is missing", where, key)};
            if(!read)
                return;
            auto got = from_json<std::remove_cvref_t<decltype(member)>>(from.at(key), where + "." + key);
            if(got)
                member = *got;
            else
                read = rejection{got.reason()};
        });
        for(const auto& [key, ignored] : from.items())
            if(bool known = false; read)
            {
                each_member(value, [&](std::string_view name, const auto&) { known = known || name == key; });
                if(!known)
                    read = rejection{fmt::format("{}: unknown key {}; allowed are {}", where, key, names)};
            }
        if(!read)
            return rejection{read.reason()};
        return value;
    }
    else if constexpr(enumeration<T>)
    {
        const auto found = from.is_string() ? value_of<T>(from.get<std::string>()) : std::nullopt;
        if(!found)
            return rejected("choose from " + choices<T>());
        return *found;
    }
    else
    {
        if(!from.is_number_integer() || from < std::numeric_limits<T>::min() || from > std::numeric_limits<T>::max())
            return rejected("give a whole number");
        return from.get<T>();
    }
}

// The fields of a configuration, structs taken apart: [{"name": "block.m", "kind": "number"}, {"name": "dtype", "kind":
// "choice", "values": ["fp16", ...]}, ...]
template <described T>
json fields(const std::string& prefix = "")
{
    json list = json::array();
    each_member(T{}, [&](std::string_view name, const auto& member) {
        using M                = std::remove_cvref_t<decltype(member)>;
        const std::string full = prefix + std::string(name);
        if constexpr(described<M>)
        {
            for(json& inner : fields<M>(full + "."))
                list.push_back(std::move(inner));
        }
        else if constexpr(enumeration<M>)
        {
            json values = json::array();
            for(const auto& e : enumerators<M>::all())
                values.push_back(e.name);
            list.push_back({{"name", full}, {"kind", "choice"}, {"values", values}});
        }
        else
            list.push_back({{"name", full}, {"kind", "number"}});
    });
    return list;
}

} // namespace ck_tile::reflect
