// SPDX-License-Identifier: MIT
// What a program that runs one operation is asked to do, whatever the operation: verify, time, where, with which files.
#pragma once

#include "ops/harness/fill.hpp"
#include "ops/harness/value_or_throw.hpp"
#include "ops/harness/verify.hpp"
#include "ops/program/command_line.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace ck_tile::program
{

using harness::fill;
using harness::value_or_throw;
using harness::verification;

struct job
{
    verification verify = verification::cpu;
    fill init           = fill::integers;
    bool time           = false;
    std::string target  = "auto";
    std::string instance;
    bool list_instances = false;
    std::uint64_t seed  = 1;
    bool check          = false; // the kernel, while the CPU runs it
    int splits          = 0;     // of the reduction; 0: as many as cost least
    std::filesystem::path tuned; // table of choices
    bool tune = false;           // measure, and write the choice there
    std::filesystem::path load;  // folders and files; empty: none
    std::filesystem::path dump;
    std::filesystem::path json;
    std::string help; // to be printed instead of anything else when not empty
};

} // namespace ck_tile::program
