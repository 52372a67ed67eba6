// SPDX-License-Identifier: MIT
#include "ops/profiler/limits.hpp"

#include "ops/harness/device_kernels.hpp"
#include "ops/harness/value_or_throw.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ck_tile::profiler
{

using harness::value_or_throw;

namespace
{

constexpr std::size_t copied_bytes = std::size_t(1) << 30; // more than any cache holds
constexpr int repeats              = 10;
constexpr double steady            = 0.05; // what a clock may differ by

// Bytes read and written, in GB/s.
double copy_bandwidth(const device& dev)
{
    const device_buffer from = value_or_throw(dev.allocate_zeroed(copied_bytes)),
                        to   = value_or_throw(dev.allocate(copied_bytes));
    const double ms          = value_or_throw(
        dev.time([&] { return harness::copy_within(dev, to.data(), from.data(), copied_bytes); }, repeats));
    return 2. * static_cast<double>(copied_bytes) / ms / 1e6;
}

} // namespace

std::string describe_clocks(double milliseconds_before, double milliseconds)
{
    if(std::abs(milliseconds / milliseconds_before - 1) <= steady)
        return "";
    return fmt::format(
        "the device's clocks changed: a product of matrices that took {:.3f} ms takes {:.3f} ms after this "
        "problem",
        milliseconds_before, milliseconds);
}

measured_limits::measured_limits(const device& dev, std::span<const profiled_operation* const> operations,
                                 const std::set<data_type>& types)
{
    if(dev.is_host() || types.empty())
        return;
    if(harness::kernels_for(dev) != nullptr)
        values_.copy_gb_per_s = copy_bandwidth(dev);
    for(const data_type type : types)
        for(const profiled_operation* op : operations)
        {
            const auto large = op->matrix_product(type);
            if(!large)
                continue;
            product p;
            p.problem = op->open(dev, *large, type, {.verify = harness::verification::none, .repeats = 5});
            for(std::size_t i = 0; i < p.problem->candidates().size(); ++i)
            {
                if(!p.problem->candidates()[i].reason.empty())
                    continue;
                const outcome o = p.problem->measure(i);
                if(o.time && (p.milliseconds == 0 || o.time->median < p.milliseconds))
                    p.fastest = i, p.milliseconds = o.time->median;
            }
            if(p.milliseconds == 0)
                continue;
            values_.matrix_tflops[name_of(type)] = p.problem->flops().value() / p.milliseconds / 1e9;
            products_[type]                      = std::move(p);
            break;
        }
}

std::string measured_limits::clocks_changed(data_type type)
{
    const auto found = products_.find(type);
    if(found == products_.end())
        return "";
    const outcome again = found->second.problem->measure(found->second.fastest);
    return again.time ? describe_clocks(found->second.milliseconds, again.time->median) : "";
}

} // namespace ck_tile::profiler
