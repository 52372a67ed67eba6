// SPDX-License-Identifier: MIT
// What the example programs' command lines have in common: numbers, named choices, exit codes, checks of the machine.
#pragma once

#include "ck_tile/numeric/choices.hpp"
#include "ck_tile/runtime/status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::program
{

enum exit_code
{
    success       = 0, // verified, or nothing to verify
    wrong_result  = 1,
    not_supported = 2,  // bad arguments, an unsupported problem, or a machine that cannot do it
    stopped       = 130 // by Ctrl-C, as shells have it; what was done is kept
};

// A whole number in decimal; `name` is what a rejection calls it.
result<std::int64_t> parse_integer(std::string_view name, std::string_view text);

// A value of an enumeration, among those that `allowed` admits; null admits all.
template <class Choice>
result<Choice> parse_choice(std::string_view name, std::string_view text, bool (*allowed)(Choice) = nullptr)
{
    if(const auto found = value_of<Choice>(text, allowed))
        return *found;
    return rejection{fmt::format("{} must be one of {}, but is '{}'", name, choices<Choice>(allowed), text)};
}

// "in: dim 3, lengths {2, 8, 4}, strides {32, 4, 1}"
std::string describe_tensor(std::string_view name, const std::vector<std::int64_t>& lengths,
                            const std::vector<std::int64_t>& strides);

// Rejects what is more than this machine's physical memory, before any of it is allocated.
status check_memory(double bytes);

// Makes the folder when it is not there yet.
status check_folder(const std::filesystem::path& folder);

// Writes what was printed, before what takes its time; a rejection says why it cannot be written.
status flush_output();

// Prints the reason in one line, without control characters, and returns the exit code for it.
int fail(std::string_view program, std::string_view reason, exit_code code = not_supported);

// What main() returns: what work() does, or the exit code of what it throws - a rejection, or what the system refuses - and of output
// that could not be written.
int run_program(std::string_view program, const std::function<int()>& work);

} // namespace ck_tile::program
