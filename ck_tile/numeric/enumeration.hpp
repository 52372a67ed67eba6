// SPDX-License-Identifier: MIT
// Names of enumerations' values, each written once, beside the enumeration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ck_tile
{

template <class E>
struct enumerator
{
    E value;
    const char* name;
};

template <class E>
struct enumerators;

template <class E>
    requires requires { enumerators<E>::all; }
constexpr const char* name_of(E value)
{
    for(const enumerator<E>& e : enumerators<E>::all)
        if(e.value == value)
            return e.name;
    return "unknown";
}

template <class E>
constexpr std::optional<E> value_of(std::string_view name)
{
    for(const enumerator<E>& e : enumerators<E>::all)
        if(name == e.name)
            return e.value;
    return std::nullopt;
}

// "fp16, bf16, fp32"
template <class E>
std::string choices()
{
    std::string names;
    for(const enumerator<E>& e : enumerators<E>::all)
        names += (names.empty() ? "" : ", ") + std::string(e.name);
    return names;
}

} // namespace ck_tile
