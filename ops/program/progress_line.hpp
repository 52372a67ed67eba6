// SPDX-License-Identifier: MIT
// A line at the end of a terminal that says how far long work is: "verifying: 42%, 12 s left [########            ]". Nothing where standard error is no
// terminal, and nothing of work that takes less than half a second.
#pragma once

#include "ck_tile/runtime/progress.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace ck_tile::program
{

// The line, of work that has taken `seconds` so far.
std::string describe_progress(const std::string& label, std::int64_t done, std::int64_t count, double seconds);

class progress_line
{
  public:
    explicit progress_line(std::string label);
    ~progress_line();

    void hide(); // until there is more progress: for what is printed in between

  private:
    using clock = std::chrono::steady_clock;

    void show(std::int64_t done, std::int64_t count);

    std::string label_;
    std::int64_t last_done_  = 0;
    clock::time_point start_ = clock::now(), shown_ = start_;
    bool visible_ = false;
    std::optional<watched_progress> watched_; // where there is a terminal
};

} // namespace ck_tile::program
