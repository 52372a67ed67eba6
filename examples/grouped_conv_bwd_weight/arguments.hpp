// SPDX-License-Identifier: MIT
// The command line of grouped_conv_bwd_weight.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "examples/support/job.hpp"
#include "ops/grouped_conv/problem.hpp"

namespace ck_tile::examples
{

struct arguments : job
{
    conv::problem problem;
    int split_k = 0;             // 0: as many as fill the target
    std::filesystem::path tuned; // table of choices
    bool tune = false;           // measure, and write the choice there
};

// The arguments, with a valid problem, or which of them is wrong and why.
result<arguments> parse_arguments(int argc, const char* const* argv);

} // namespace ck_tile::examples
