// SPDX-License-Identifier: MIT
#include "ops/profiler/rotating_inputs.hpp"

#include "ops/harness/device_kernels.hpp"
#include "ops/harness/value_or_throw.hpp"
#include "ops/profiler/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace ck_tile::profiler
{

using harness::value_or_throw;

namespace
{
constexpr double cold_bytes        = 512e6;
constexpr std::size_t most_copies  = 256; // of inputs so small that more would not help
constexpr double seconds_per_plan  = 0.1;
constexpr double hopeless          = 3; // times as slow as the fastest
constexpr int runs_per_measurement = 3; // of a GPU: see device::times()
} // namespace

rotating_inputs::rotating_inputs(const device& dev, const harness::tensor_set& set) : first_(dev, set)
{
    double bytes = 1;
    for(const harness::host_tensor& t : set.tensors)
        bytes += t.role == tensor_role::input ? static_cast<double>(t.bytes()) : 0;
    if(dev.is_host() || harness::kernels_for(dev) == nullptr)
        return;
    further_.resize(std::min(static_cast<std::size_t>(cold_bytes / bytes) + 1, most_copies));
    for(auto& copy : further_)
        for(std::size_t i = 0; i < set.tensors.size(); ++i)
        {
            copy.emplace_back();
            if(set.tensors[i].role != tensor_role::input)
                continue;
            const device_buffer& from = first_.buffer(i);
            copy.back()               = value_or_throw(dev.allocate(from.bytes()));
            value_or_throw(harness::copy_within(dev, copy.back().data(), from.data(), from.bytes()));
        }
    value_or_throw(dev.synchronize());
}

std::vector<void*> rotating_inputs::next()
{
    std::vector<void*> addresses = first_.addresses();
    if(const std::size_t number = turn_++ % (further_.size() + 1); number > 0)
        for(std::size_t i = 0; i < addresses.size(); ++i)
            if(void* const own = further_[number - 1][i].data())
                addresses[i] = own;
    return addresses;
}

result<std::vector<double>> time_within_reason(const device& dev, const std::function<status()>& work, int most,
                                               double fastest)
{
    if(most == 0)
        most = dev.is_host() ? 5 : 20;
    const auto once = dev.times(work, 1);
    if(!once || (!dev.is_host() && fastest > 0 && once->front() > hopeless * fastest))
        return once;
    const double seconds = once->front() / 1e3 * (dev.is_host() ? 1 : runs_per_measurement);
    const int least      = std::min(most, dev.is_host() ? 3 : 5);
    const double worth   = seconds_per_plan / std::max(seconds, 1e-9);
    return dev.times(work, worth > most ? most : std::max(static_cast<int>(worth), least));
}

timing make_timing(std::vector<double> milliseconds)
{
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto last       = static_cast<double>(milliseconds.size() - 1);
    const auto percentile = [&](double share) {
        return milliseconds[static_cast<std::size_t>(std::lround(share * last))];
    };
    const double median = milliseconds[milliseconds.size() / 2];
    return {.median  = median,
            .least   = milliseconds.front(),
            .spread  = median > 0 ? (percentile(0.9) - percentile(0.1)) / median : 0,
            .repeats = static_cast<int>(milliseconds.size())};
}

} // namespace ck_tile::profiler
