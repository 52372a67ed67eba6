// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/progress.hpp"

#include <utility>

namespace ck_tile
{
namespace
{
thread_local const progress_watcher* current = nullptr;
} // namespace

watched_progress::watched_progress(progress_watcher watcher)
    : watcher_(std::move(watcher)), before_(std::exchange(current, &watcher_))
{
}

watched_progress::~watched_progress() { current = before_; }

void report_progress(std::int64_t done, std::int64_t count)
{
    if(current != nullptr && *current)
        (*current)(done, count);
}

} // namespace ck_tile
