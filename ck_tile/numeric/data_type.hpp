// SPDX-License-Identifier: MIT
// The element types as run-time values: their names and sizes.
#pragma once

#include "ck_tile/numeric/enumeration.hpp"

namespace ck_tile
{

enum class data_type
{
    fp16, // IEEE binary16
    bf16, // the upper half of a binary32
    fp32, // IEEE binary32
    u8,   // index tensors
    int32,
    int64
};

template <>
struct enumerators<data_type>
{
    static constexpr const char* type           = "data_type";
    static constexpr enumerator<data_type> all[] = {{data_type::fp16, "fp16"}, {data_type::bf16, "bf16"}, {data_type::fp32, "fp32"}};
};

constexpr int bytes_of(data_type type)
{
    switch(type)
    {
    case data_type::u8: return 1;
    case data_type::fp16:
    case data_type::bf16: return 2;
    case data_type::fp32:
    case data_type::int32: return 4;
    case data_type::int64: return 8;
    }
    return 0;
}

constexpr bool is_floating(data_type type)
{
    return type == data_type::fp16 || type == data_type::bf16 || type == data_type::fp32;
}

// The type that a configuration computes with: its field, or what its matrix instruction implies.
template <class Config>
constexpr data_type dtype_of(const Config& c)
{
    if constexpr(requires { c.dtype(); })
        return c.dtype();
    else
        return c.dtype;
}

// Half the distance between 1 and the next number above it: the relative error of one rounding.
constexpr double unit_roundoff(data_type type)
{
    switch(type)
    {
    case data_type::fp16: return 1.0 / (1 << 11);
    case data_type::bf16: return 1.0 / (1 << 8);
    case data_type::fp32: return 1.0 / (1 << 24);
    default: break;
    }
    return 1.0;
}

} // namespace ck_tile
