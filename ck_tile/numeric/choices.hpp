// SPDX-License-Identifier: MIT
// From a name to the value of an enumeration, and what there is to choose from. For the host: kernels know values alone.
#pragma once

#include "ck_tile/numeric/data_type.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ck_tile
{

// Which values a configuration or a problem may have: all of an enumeration, but of the types only those that kernels compute in.
template <enumeration E>
constexpr bool choosable(E)
{
    return true;
}
constexpr bool choosable(data_type type) { return is_floating(type); }

// The value of that name, if there is one and it is among those that `allowed` admits; null admits all.
template <enumeration E>
constexpr std::optional<E> value_of(std::string_view name, bool (*allowed)(E) = nullptr)
{
    for(const enumerator<E>& e : enumerators<E>::all)
        if(e.name == name && (allowed == nullptr || allowed(e.value)))
            return e.value;
    return std::nullopt;
}

// "gfx90a, gfx942, gfx11"
template <enumeration E>
std::string choices(bool (*allowed)(E) = nullptr)
{
    std::string all;
    for(const enumerator<E>& e : enumerators<E>::all)
        if(allowed == nullptr || allowed(e.value))
            all += (all.empty() ? "" : ", ") + std::string(e.name);
    return all;
}

} // namespace ck_tile
