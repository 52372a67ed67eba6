// SPDX-License-Identifier: MIT
#include "ops/program/progress_line.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace ck_tile::program
{
namespace
{
constexpr const char* erase_line = "\r\x1b[K";
} // namespace

std::string describe_progress(const std::string& label, std::int64_t done, std::int64_t count, double seconds)
{
    const double share = static_cast<double>(done) / static_cast<double>(count);
    return fmt::format("{}: {:.0f}%, {:.0f} s left [{:<20}]", label, 100 * share, seconds * (1 - share) / share,
                       std::string(static_cast<std::size_t>(20 * share), '#'));
}

progress_line::progress_line(std::string label) : label_(std::move(label))
{
    if(isatty(STDERR_FILENO) != 0)
        watched_.emplace([this](std::int64_t done, std::int64_t count) { show(done, count); });
}

progress_line::~progress_line() { hide(); }

void progress_line::hide()
{
    if(visible_)
        fmt::print(stderr, "{}", erase_line);
    visible_ = false;
}

void progress_line::show(std::int64_t done, std::int64_t count)
{
    const auto now = clock::now();
    if(done < last_done_) // another loop
        start_ = shown_ = now;
    last_done_ = done;
    if(done < 1 || now - shown_ < std::chrono::milliseconds(visible_ ? 100 : 500))
        return;
    shown_   = now;
    visible_ = true;
    fmt::print(stderr, "{}{}", erase_line,
               describe_progress(label_, done, count, std::chrono::duration<double>(now - start_).count()));
    std::fflush(stderr);
}

} // namespace ck_tile::program
