// SPDX-License-Identifier: MIT
// The element types as run-time values: their names, sizes and accuracy.
#pragma once

#include "ck_tile/numeric/enumeration.hpp"

#pragma clang diagnostic push
#pragma clang diagnostic error "-Wswitch" // a new type is to be told of in each function below

namespace ck_tile
{

enum class data_type
{
    fp16, // IEEE binary16
    bf16, // the upper half of a binary32
    fp32, // IEEE binary32
    u8,   // these and the following: indices
    int32,
    int64
};

template <>
struct enumerators<data_type>
{
    using enum data_type;
    static constexpr const char* type            = "data_type";
    static constexpr enumerator<data_type> all[] = {{fp16, "fp16"}, {bf16, "bf16"},   {fp32, "fp32"},
                                                    {u8, "u8"},     {int32, "int32"}, {int64, "int64"}};
};

// Whether kernels can compute in the type: of the others there are tensors, but no configurations.
constexpr bool is_floating(data_type type)
{
    switch(type)
    {
    case data_type::fp16:
    case data_type::bf16:
    case data_type::fp32: return true;
    case data_type::u8:
    case data_type::int32:
    case data_type::int64: return false;
    }
    __builtin_unreachable();
}

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
    __builtin_unreachable();
}

// Half the distance between 1 and the next number above it: the relative error of one rounding. 0 of integers, which are exact.
constexpr double unit_roundoff(data_type type)
{
    switch(type)
    {
    case data_type::fp16: return 1.0 / (1 << 11);
    case data_type::bf16: return 1.0 / (1 << 8);
    case data_type::fp32: return 1.0 / (1 << 24);
    case data_type::u8:
    case data_type::int32:
    case data_type::int64: return 0;
    }
    __builtin_unreachable();
}

// The type that a configuration computes in: its field, or what follows from its matrix instruction.
template <class Config>
constexpr data_type dtype_of(const Config& c)
{
    if constexpr(requires { c.dtype(); })
        return c.dtype();
    else
        return c.dtype;
}

} // namespace ck_tile

#pragma clang diagnostic pop
