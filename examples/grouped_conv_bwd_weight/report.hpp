// SPDX-License-Identifier: MIT
// What grouped_conv_bwd_weight found out, for people and as JSON.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "examples/grouped_conv_bwd_weight/arguments.hpp"
#include "examples/support/compare.hpp"
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include <optional>
#include <string>

namespace ck_tile::examples
{

struct outcome
{
    grouped_conv_bwd_weight::plan plan;
    std::optional<double> milliseconds;
    std::optional<comparison> verified;
};

// "Perf: t ms, x TFlops, y GB/s, <instance>, <target>"; the bytes are each tensor's once.
std::string describe_timing(const device& on, const conv::problem& p, const outcome& done);

status write_json(const device& on, const arguments& given, const outcome& done);

} // namespace ck_tile::examples
