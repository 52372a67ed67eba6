// SPDX-License-Identifier: MIT
// The element types as run-time values: their names and sizes.
#pragma once

namespace ck_tile
{

enum class data_type
{
    fp16, // IEEE binary16
    bf16, // the upper half of a binary32
    fp32  // IEEE binary32
};

constexpr int bytes_of(data_type type) { return type == data_type::fp32 ? 4 : 2; }

constexpr const char* name_of(data_type type)
{
    switch(type)
    {
    case data_type::fp16: return "fp16";
    case data_type::bf16: return "bf16";
    case data_type::fp32: return "fp32";
    }
    return "unknown";
}

// Half the distance between 1 and the next number above it: the relative error of one rounding.
constexpr double unit_roundoff(data_type type)
{
    switch(type)
    {
    case data_type::fp16: return 1.0 / (1 << 11);
    case data_type::bf16: return 1.0 / (1 << 8);
    case data_type::fp32: return 1.0 / (1 << 24);
    }
    return 1.0;
}

} // namespace ck_tile
