// SPDX-License-Identifier: MIT
// What the fp64 references of forward and backward share, nothing of it with the tile core.
#pragma once

#include "ops/groupnorm/problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace ck_tile::groupnorm
{

// A result: its elements in the layout's order, and for each the sum of the absolute values of its terms, which scales the
// error bound.
struct reference_result
{
    std::vector<double> value;
    std::vector<double> magnitude;

    explicit reference_result(std::int64_t count = 0)
        : value(static_cast<std::size_t>(count)), magnitude(static_cast<std::size_t>(count))
    {
    }

    void set(std::size_t at, double v, double m)
    {
        value[at]     = v;
        magnitude[at] = m;
    }
};

// A sum and that of its terms' absolute values.
struct checked_sum
{
    double value = 0, magnitude = 0;

    void add(double term)
    {
        value += term;
        magnitude += std::abs(term);
    }
};

// f(i) for each i below count, on all cores.
template <class F>
void on_all_cores(std::int64_t count, F&& f)
{
    std::atomic<std::int64_t> next = 0;
    const auto work                = [&] {
        for(std::int64_t i = next++; i < count; i = next++)
            f(i);
    };
    std::vector<std::future<void>> helpers; // rather than threads, as they hand on exceptions
    for(std::int64_t i = 1; i < std::min<std::int64_t>(std::thread::hardware_concurrency(), count); ++i)
        helpers.push_back(std::async(std::launch::async, work));
    work();
    for(std::future<void>& helper : helpers)
        helper.get();
}

// Where an element of x lies.
struct image_order
{
    std::int64_t image, pixel, channel; // strides

    explicit image_order(const problem& p)
        : image(p.pixels() * p.channels()),
          pixel(p.layout == layout::nhwgc ? p.channels() : 1),
          channel(p.layout == layout::nhwgc ? 1 : p.pixels())
    {
    }

    std::size_t operator()(std::int64_t n, std::int64_t c, std::int64_t i) const
    {
        return static_cast<std::size_t>(n * image + i * pixel + c * channel);
    }
};

// The error that a result of the problem's type may have whose terms are sums of `terms` numbers:
//   u_out * max(|value|, smallest normal number) + 2^-24 * (8 + 2 * sqrt(terms)) * magnitude,
// the rounding of the result, and that of fp32 sums.
inline double error_bound(data_type type, std::int64_t terms, double value, double magnitude)
{
    // A result below the smallest normal number is rounded to a multiple of the smallest subnormal one.
    const double smallest_normal = type == data_type::fp16 ? 0x1p-14 : 0x1p-126;
    return unit_roundoff(type) * std::max(std::abs(value), smallest_normal) +
           0x1p-24 * (8 + 2 * std::sqrt(static_cast<double>(terms))) * magnitude;
}

} // namespace ck_tile::groupnorm
