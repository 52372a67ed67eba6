// SPDX-License-Identifier: MIT
// Files of problems: benchmarks/suite.json is one.
//
//   {"grouped_conv_fwd": [{"row": "5", "name": "ResNet-50 3x3", "problem": {"N": 256, ...}, "dtypes": ["fp32"]}, ...], ...}
//
// A row without dtypes is for all, and taken in fp16 and bf16 unless others are asked for.
#pragma once

#include "ops/profiler/measurement.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ck_tile::profiler
{

struct suite_problem
{
    const profiled_operation* operation;
    std::string row, name;
    json problem;
    data_type type; // where the problem names none
};

// Lists parted by commas; empty: all.
struct suite_filter
{
    std::string rows, dtypes, layouts;
};

// The rows of those operations. Rejects what is no suite, rows that are none, and filters that leave nothing.
result<std::vector<suite_problem>> read_suite(const std::filesystem::path& file,
                                              const std::vector<const profiled_operation*>& operations,
                                              const suite_filter& filter);

} // namespace ck_tile::profiler
