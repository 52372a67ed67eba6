// SPDX-License-Identifier: MIT
// The names of an enumeration's values, as configurations write them: in JSON, in the names of instances, in C++.
#pragma once

#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/targets/targets.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace ck_tile::reflect
{

// enumerators<E>: `type`, E's name in namespace ck_tile, and `all()`, its values with their identifiers. One specialisation
// per enumeration; an operation adds those of its own.
template <class E>
struct enumerators;

template <class E>
struct enumerator
{
    E value;
    std::string_view name;
};

template <class E>
constexpr std::string_view name_of(E value)
{
    for(const enumerator<E>& e : enumerators<E>::all())
        if(e.value == value)
            return e.name;
    return "unknown";
}

template <class E>
std::optional<E> value_of(std::string_view name)
{
    for(const enumerator<E>& e : enumerators<E>::all())
        if(e.name == name)
            return e.value;
    return std::nullopt;
}

template <>
struct enumerators<architecture>
{
    static constexpr std::string_view type = "architecture";
    static std::vector<enumerator<architecture>> all()
    {
        std::vector<enumerator<architecture>> found;
        for(const target* t : all_targets)
            found.push_back({t->arch, t->name});
        return found;
    }
};

template <>
struct enumerators<data_type>
{
    static constexpr std::string_view type = "data_type";
    static std::vector<enumerator<data_type>> all()
    {
        return {{data_type::fp16, "fp16"}, {data_type::bf16, "bf16"}, {data_type::fp32, "fp32"}};
    }
};

template <>
struct enumerators<opcode>
{
    static constexpr std::string_view type = "opcode";
    static std::vector<enumerator<opcode>> all()
    {
        std::vector<enumerator<opcode>> found;
        for(const matrix_instruction& i : matrix_instructions)
            found.push_back({i.op, i.name});
        return found;
    }
};

template <>
struct enumerators<gemm::pipeline>
{
    static constexpr std::string_view type = "gemm::pipeline";
    static std::vector<enumerator<gemm::pipeline>> all()
    {
        using enum gemm::pipeline;
        return {{single_buffer, "single_buffer"}, {double_buffer, "double_buffer"}, {async_stages, "async_stages"}};
    }
};

template <>
struct enumerators<gemm::epilogue>
{
    static constexpr std::string_view type = "gemm::epilogue";
    static std::vector<enumerator<gemm::epilogue>> all()
    {
        return {{gemm::epilogue::through_lds, "through_lds"}, {gemm::epilogue::direct, "direct"}};
    }
};

} // namespace ck_tile::reflect
