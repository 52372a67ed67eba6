// SPDX-License-Identifier: MIT
// What the fp64 references of operations share, nothing of it with the tile core: all cores, and the error that a result may have.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace ck_tile
{

// A result by its definition: its elements in fp64 in the layout's order, and for each the sum of the absolute values of its terms,
// which scales the error bound; or, for results of an index type, integers.
struct reference_values
{
    std::vector<double> values;
    std::vector<double> magnitudes;
    std::vector<std::int64_t> integers;

    explicit reference_values(std::int64_t count = 0)
        : values(static_cast<std::size_t>(count)), magnitudes(static_cast<std::size_t>(count))
    {
    }

    void set(std::size_t at, double value, double magnitude)
    {
        values[at]     = value;
        magnitudes[at] = magnitude;
    }
};

// work(i) for each i below count, on all cores, each of which has a copy of `work`: what it holds is a core's own. Who watches this
// thread's progress is told.
template <class Work>
void on_all_cores(std::int64_t count, const Work& work)
{
    std::atomic<std::int64_t> next = 0;
    const auto take                = [&next, count](Work own) {
        for(std::int64_t i = next++; i < count; i = next++)
        {
            report_progress(i, count);
            own(i);
        }
    };
    std::vector<std::future<void>> helpers; // rather than threads, as they hand on exceptions: memory may run out
    for(std::int64_t i = 1; i < std::min<std::int64_t>(std::thread::hardware_concurrency(), count); ++i)
        helpers.push_back(std::async(std::launch::async, take, work));
    take(work);
    for(std::future<void>& helper : helpers)
        helper.get();
}

// The error that a result of the type may have that is a sum of `terms` numbers, whose absolute values add up to `magnitude`:
//   u_out * max(|value|, smallest normal number) + 2^-24 * (8 + 2 * sqrt(terms)) * magnitude,
// the rounding of the result, and that of an fp32 sum.
inline double error_bound(data_type type, std::int64_t terms, double value, double magnitude)
{
    // A result below the smallest normal number is rounded to a multiple of the smallest subnormal one.
    const double smallest_normal = type == data_type::fp16 ? 0x1p-14 : 0x1p-126;
    return unit_roundoff(type) * std::max(std::abs(value), smallest_normal) +
           0x1p-24 * (8 + 2 * std::sqrt(static_cast<double>(terms))) * magnitude;
}

} // namespace ck_tile
