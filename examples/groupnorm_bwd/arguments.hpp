// SPDX-License-Identifier: MIT
// The command line of groupnorm_bwd.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "examples/support/job.hpp"
#include "ops/groupnorm/problem.hpp"

namespace ck_tile::examples
{

struct arguments : job
{
    groupnorm::problem problem;
};

// The arguments, with a valid problem, or which of them is wrong and why.
result<arguments> parse_arguments(int argc, const char* const* argv);

} // namespace ck_tile::examples
