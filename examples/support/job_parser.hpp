// SPDX-License-Identifier: MIT
// The command line of a program that runs one operation: the options that all have, and numbers.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "examples/support/job.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ck_tile::examples
{

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

} // namespace ck_tile::examples
