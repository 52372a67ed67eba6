// SPDX-License-Identifier: MIT
// Numbers, checks and messages of the example programs.
#include "ops/program/command_line.hpp"

#include "ck_tile/runtime/printable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

namespace
{

std::string unwritable_output(int error)
{
    return fmt::format("standard output must be a file that can be written{}: redirect it to another",
                       error == 0 ? "" : fmt::format(" ({})", std::generic_category().message(error)));
}

} // namespace

status flush_output()
{
    errno = 0;
    if(std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return {};
    return rejection{unwritable_output(errno)};
}

int fail(std::string_view program, std::string_view reason, exit_code code)
{
    std::string line(reason);
    std::replace(line.begin(), line.end(), '\n', ' '); // libraries' messages may have more lines
    std::fputs(fmt::format("{}: {}\n", program, printable(line)).c_str(), stderr); // the exit code says it, too
    return code;
}

namespace
{

// Takes the numbers of standard streams that are closed, which the next files would have and that are printed to: this one takes no
// output.
void occupy_closed_streams()
{
    for(int number = STDIN_FILENO; number <= STDERR_FILENO; ++number)
        if(fcntl(number, F_GETFD) == -1)
            open("/dev/null", O_RDONLY);
}

} // namespace

int run_program(std::string_view program, const std::function<int()>& work)
{
    constexpr const char* no_memory = "there is not enough memory for this problem: choose a smaller one";
    occupy_closed_streams();
    int code = success;
    std::string reason;
    try
    {
        code = work();
    }
    catch(const std::bad_alloc&)
    {
        reason = no_memory;
    }
    catch(const std::length_error&) // a std::vector larger than any memory
    {
        reason = no_memory;
    }
    catch(const std::system_error& error) // of a print that is longer than the buffer of standard output, for one
    {
        reason = std::ferror(stdout) != 0 ? unwritable_output(error.code().value()) : error.what();
    }
    catch(const std::exception& error) // a rejection, or what the system refuses, such as one more thread
    {
        reason = error.what();
    }
    // What was printed may still wait to be written; what cannot be, fails the program as any other file does.
    if(const status written = flush_output(); !written && code == success && reason.empty())
        reason = written.reason();
    return reason.empty() ? code : fail(program, reason);
}

} // namespace ck_tile::program
