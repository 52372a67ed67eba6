// SPDX-License-Identifier: MIT
// How far long work on the CPU is: loops over all cores report it, and who started them may watch.
#pragma once

#include <cstdint>
#include <functional>

namespace ck_tile
{

// `done` of `count` pieces of work have been begun.
using progress_watcher = std::function<void(std::int64_t done, std::int64_t count)>;

// While it lives, `watcher`, and no other, is told of loops that the thread which made it runs; an empty one is nobody.
class watched_progress
{
  public:
    explicit watched_progress(progress_watcher watcher);
    ~watched_progress();
    watched_progress(const watched_progress&)            = delete;
    watched_progress& operator=(const watched_progress&) = delete;

  private:
    progress_watcher watcher_;
    const progress_watcher* before_;
};

// Tells the watcher of this thread, if it has one.
void report_progress(std::int64_t done, std::int64_t count);

} // namespace ck_tile
