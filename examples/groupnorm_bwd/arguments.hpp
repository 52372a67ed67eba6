// SPDX-License-Identifier: MIT
// The command line of groupnorm_bwd.
#pragma once

#include "examples/support/program.hpp"
#include "ops/groupnorm/problem.hpp"

namespace ck_tile::examples
{

struct arguments : common_arguments
{
    groupnorm::problem problem;
};

// The arguments, with a valid problem, or which of them is wrong and why.
result<arguments> parse_arguments(int argc, const char* const* argv);

} // namespace ck_tile::examples
