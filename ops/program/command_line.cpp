// SPDX-License-Identifier: MIT
// Numbers, checks and messages of the example programs.
#include "ops/program/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

namespace ck_tile::program
{

result<std::int64_t> parse_integer(std::string_view name, std::string_view text)
{
    std::int64_t number      = 0;
    const char* const end    = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if(error == std::errc::result_out_of_range && stop == end)
        return rejection{fmt::format("{} must fit 64 bits, but is {}", name, text)};
    if(error != std::errc{} || stop != end)
        return rejection{fmt::format("{} must be a whole number, but is '{}'", name, text)};
    return number;
}

std::string describe_tensor(std::string_view name, const std::vector<std::int64_t>& lengths,
                            const std::vector<std::int64_t>& strides)
{
    return fmt::format("{}: dim {}, lengths {{{}}}, strides {{{}}}", name, lengths.size(), fmt::join(lengths, ", "),
                       fmt::join(strides, ", "));
}

status check_memory(double bytes)
{
    const double available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if(bytes > available)
    {
        return rejection{
            fmt::format("the job needs about {:.3g} GB of memory, but this machine has {:.3g} GB: choose a "
                        "smaller problem",
                        bytes / 1e9, available / 1e9)};
    }
    return {};
}

status check_folder(const std::filesystem::path& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if(!std::filesystem::is_directory(folder, error) || access(folder.c_str(), W_OK) != 0)
        return rejection{fmt::format("{} must be a folder that can be written: choose another path", folder.string())};
    return {};
}

int fail(std::string_view program, std::string_view reason, exit_code code)
{
    std::string line(reason);
    std::replace(line.begin(), line.end(), '\n', ' '); // file names and libraries' messages may hold more lines
    fmt::print(stderr, "{}: {}\n", program, line);
    return code;
}

int run_program(std::string_view program, const std::function<int()>& work)
{
    constexpr const char* no_memory = "there is not enough memory for this problem: choose a smaller one";
    try
    {
        return work();
    }
    catch(const std::bad_alloc&)
    {
        return fail(program, no_memory);
    }
    catch(const std::length_error&) // a std::vector larger than any memory
    {
        return fail(program, no_memory);
    }
    catch(const std::exception& error) // a rejection, or what the system refuses, such as one more thread
    {
        return fail(program, error.what());
    }
}

} // namespace ck_tile::program
