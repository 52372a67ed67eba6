// SPDX-License-Identifier: MIT
// What the profiler leaves to Python: the language of filters, which is that of the generator of instances, and plots.
#pragma once

#include "ops/profiler/record.hpp"

#include <string>
#include <vector>

namespace ck_tile::profiler
{

// Of configurations, as instance::fields has them, whether the expression holds of each: `block.m >= 128 and dtype == "fp16"`, as
// generate.py --filter takes it. Rejects what is no condition on their fields.
result<std::vector<bool>> filter_configurations(const std::string& expression, const std::vector<json>& configurations);

// A profile as a chart (SVG): the rows below the roofline of the measured ceilings, and bars of the fastest.
result<std::string> plot(const json& profile);

} // namespace ck_tile::profiler
