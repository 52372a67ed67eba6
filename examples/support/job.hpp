// SPDX-License-Identifier: MIT
// What a program that runs one operation is asked to do, whatever the operation: verify, time, where, with which files.
#pragma once

#include "examples/support/command_line.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/tensor_init.hpp"

#include <fmt/format.h>

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

// "the fp64 reference on the CPU", to follow "Verification against".
constexpr const char* name_of(verification how)
{
    switch(how)
    {
    case verification::none: return "nothing";
    case verification::cpu: return "the fp64 reference on the CPU";
    case verification::reference_kernel: return "the reference kernel on the target";
    }
    return "unknown";
}

struct job
{
    verification verify = verification::cpu;
    fill init           = fill::integers;
    bool time           = false;
    std::string target  = "auto";
    std::string instance;
    bool list_instances = false;
    std::uint64_t seed  = 1;
    std::filesystem::path load; // folders and files; empty: none
    std::filesystem::path dump;
    std::filesystem::path json;
    std::string help; // to be printed instead of anything else when not empty
};

// What main() of such a program returns: that of run(what parse(argc, argv) gives), or success where that is help, which is
// printed; the exit code of a rejection as run_program gives it.
template <class Parse, class Run>
int run_job(const char* program, int argc, char** argv, Parse&& parse, Run&& run)
{
    return run_program(program, [&] {
        const auto given = demand(parse(argc, argv));
        if(given.help.empty())
            return run(given);
        fmt::print("{}", given.help);
        return int(success);
    });
}

} // namespace ck_tile::examples
