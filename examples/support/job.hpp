// SPDX-License-Identifier: MIT
// What a program that runs one operation is asked to do, whatever the operation: verify, time, where, with which files.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/tensor_init.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ck_tile::examples
{

enum class verification
{
    none,
    cpu,             // the fp64 reference
    reference_kernel // on the target
};

// "the fp64 reference on the CPU", to follow "Verification against".
const char* name_of(verification how);

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

// Reads numbers from the front of the list and keeps the first rejection, so that a caller asks once, at the end.
class number_reader
{
  public:
    explicit number_reader(std::span<const std::string> texts) : texts_(texts) {}

    std::int64_t next(const std::string& what, std::int64_t least, std::int64_t most);
    std::int64_t next(const std::string& what); // any number: the operation's validate() says what is wrong with it

    const status& verdict() const { return verdict_; }

  private:
    void refuse(const std::string& reason);

    std::span<const std::string> texts_;
    status verdict_;
};

// Rejects numbers of a problem that are not as many as their names, "N H W": verify, init and time stand in front of them.
status check_count(std::span<const std::string> numbers, std::size_t wanted, const std::string& names);

// What the help says of the options that all programs have.
struct job_help
{
    const char* about;
    const char* program;
    const char* layouts; // "nhwc or nchw"
    const char* load;
    const char* dump;
};

// The command line of such a program: the common options, to which it may add its own before parse().
class job_parser
{
  public:
    job_parser(job& given, const job_help& help, data_type type, std::string layout);

    CLI::App& app() { return app_; }

    // Fills in the job. When it asks for help, nothing else is read.
    status parse(int argc, const char* const* argv);

    std::string layout;
    result<data_type> type() const;
    std::span<const std::string> problem_numbers() const; // those after verify, init and time

  private:
    status read_numbers();
    status read_seed();

    job& given_;
    CLI::App app_;
    std::vector<std::string> numbers_;
    std::string type_, seed_;
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
