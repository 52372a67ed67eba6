// SPDX-License-Identifier: MIT
// The time that work takes on a GPU, by the events of its driver.
#pragma once

#include "ck_tile/runtime/status.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace ck_tile
{

// The median of `repeats` runs of `work`, which queues kernels, in milliseconds, after one to warm up. record_start() and
// record_stop() queue an event; elapsed(milliseconds) waits for the second and tells the time between them.
template <class RecordStart, class RecordStop, class Elapsed>
result<double> median_by_events(const std::function<status()>& work, int repeats, RecordStart&& record_start,
                                RecordStop&& record_stop, Elapsed&& elapsed)
{
    std::vector<float> milliseconds(static_cast<std::size_t>(repeats) + 1);
    for(float& taken : milliseconds)
    {
        // Two runs that are not timed keep the device busy while the timed one is queued: its launch does not count.
        for(int ahead = 0; ahead < 2; ++ahead)
            if(status s = work(); !s)
                return rejection{s.reason()};
        record_start();
        if(status s = work(); !s)
            return rejection{s.reason()};
        record_stop();
        if(status s = elapsed(taken); !s)
            return rejection{s.reason()};
    }
    std::sort(milliseconds.begin() + 1, milliseconds.end()); // the first was to warm up
    return milliseconds[1 + static_cast<std::size_t>(repeats / 2)];
}

} // namespace ck_tile
