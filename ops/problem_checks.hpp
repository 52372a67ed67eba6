// SPDX-License-Identifier: MIT
// What every family of operations wants of a problem's numbers: that kernels can hold them, and that sizes do not overflow.
#pragma once

#include "ck_tile/runtime/status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace ck_tile
{

// Lengths, strides and pads fit 32 bits, so that kernels may hold them so, and no sum of a few of them overflows.
inline constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

// Rejects a number below `least`, which is 0 or 1, or beyond 32 bits; `name` is what a rejection calls it.
inline status check_range(std::string_view name, std::int64_t value, std::int64_t least)
{
    if(value < least)
        return rejection{fmt::format("{} must be {}, but is {}: choose {} or more", name,
                                     least > 0 ? "positive" : "zero or positive", value, least)};
    if(value > largest_number)
        return rejection{fmt::format("{} must fit 32 bits, but is {}: choose {} or less", name, value, largest_number)};
    return {};
}

// Rejects a tensor, "the output", whose size in bytes overflows 64 bits. A length of 0 counts as 1: no partial product may
// overflow.
inline status check_bytes(std::string_view tensor, const std::vector<std::int64_t>& lengths, std::int64_t element_bytes)
{
    std::int64_t bytes = element_bytes;
    for(const std::int64_t length : lengths)
        if(length > 0 && __builtin_mul_overflow(bytes, length, &bytes))
            return rejection{fmt::format(
                "{} must have less than 2^63 bytes, but has {} elements of {} bytes: choose smaller lengths", tensor,
                fmt::join(lengths, " * "), element_bytes)};
    return {};
}

} // namespace ck_tile
