// SPDX-License-Identifier: MIT
// A convolution problem as JSON: the form of reports and of tuned tables.
#pragma once

#include "ops/grouped_conv/problem.hpp"

#include <nlohmann/json.hpp>

namespace ck_tile::conv
{

// {"ndim": 2, "G": 1, "N": 256, "K": 64, "C": 64, "filter": [3, 3], "input": [56, 56], "strides": [1, 1], "dilations": ...,
//  "left_pads": ..., "right_pads": ..., "dtype": "fp16", "layout": "nhwgc"}
nlohmann::ordered_json to_json(const problem& p);

// Reads what to_json writes, in any order of the keys. Rejects other keys, values of the wrong kind, and invalid problems.
result<problem> problem_from_json(const nlohmann::ordered_json& from);

} // namespace ck_tile::conv
