// SPDX-License-Identifier: MIT
// The command line of grouped_conv_bwd_weight.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "examples/support/tensor_init.hpp"
#include "ops/grouped_conv/problem.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ck_tile::examples
{

enum class verification
{
    none,
    cpu,             // the fp64 reference
    reference_kernel // on the target
};

struct arguments
{
    verification verify = verification::cpu;
    fill init           = fill::integers;
    bool time           = false;
    conv::problem problem;
    int split_k        = 0; // 0: as many as fill the target
    std::string target = "auto";
    std::string instance;
    bool list_instances = false;
    std::filesystem::path tuned; // table of choices
    bool tune          = false;  // measure, and write the choice there
    std::uint64_t seed = 1;
    std::filesystem::path load; // folders and files; empty: none
    std::filesystem::path dump;
    std::filesystem::path json;
    std::string help; // to be printed instead of anything else when not empty
};

// The arguments, with a valid problem, or which of them is wrong and why.
result<arguments> parse_arguments(int argc, const char* const* argv);

} // namespace ck_tile::examples
