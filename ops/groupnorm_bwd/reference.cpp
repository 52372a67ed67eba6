// SPDX-License-Identifier: MIT
#include "ops/groupnorm_bwd/reference.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <thread>

namespace ck_tile::groupnorm_bwd
{
namespace
{

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

} // namespace

reference_gradients reference(const groupnorm::problem& p, const reference_inputs& in)
{
    const std::int64_t pixels = p.pixels(), channels = p.channels(), image = pixels * channels;
    const bool channels_last   = p.layout == groupnorm::layout::nhwgc;
    const std::int64_t pixel   = channels_last ? channels : 1; // strides
    const std::int64_t channel = channels_last ? 1 : pixels;
    const auto gamma           = [&](std::int64_t c) {
        return in.gamma.empty() ? 1.0 : static_cast<double>(in.gamma[static_cast<std::size_t>(c)]);
    };
    const auto made = [](std::int64_t count) {
        return reference_gradient{std::vector<double>(static_cast<std::size_t>(count)),
                                  std::vector<double>(static_cast<std::size_t>(count))};
    };
    reference_gradients out = {made(p.batch * image), made(channels), made(channels)};

    // dx, group by group.
    on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const double mean    = in.mean[static_cast<std::size_t>(statistic)];
        const double inv_std = in.inv_std[static_cast<std::size_t>(statistic)];
        const auto each      = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < pixels; ++i)
                {
                    const auto at = static_cast<std::size_t>(n * image + i * pixel + c * channel);
                    visit(at, gamma(c) * in.dy[at], (in.x[at] - mean) * inv_std);
                }
        };
        checked_sum m1, m2;
        each([&](std::size_t, double weighted, double xhat) {
            m1.add(weighted);
            m2.add(weighted * xhat);
        });
        const double elements = static_cast<double>(p.group_elements());
        each([&](std::size_t at, double weighted, double xhat) {
            out.dx.value[at] = inv_std * (weighted - m1.value / elements - xhat * (m2.value / elements));
            out.dx.magnitude[at] =
                std::abs(inv_std) *
                (std::abs(weighted) + m1.magnitude / elements + std::abs(xhat) * (m2.magnitude / elements));
        });
    });

    // dgamma and dbeta, channel by channel.
    on_all_cores(channels, [&](std::int64_t c) {
        checked_sum dgamma, dbeta;
        for(std::int64_t n = 0; n < p.batch; ++n)
        {
            const auto statistic = static_cast<std::size_t>(n * p.groups + c / p.c);
            const double mean = in.mean[statistic], inv_std = in.inv_std[statistic];
            for(std::int64_t i = 0; i < pixels; ++i)
            {
                const auto at = static_cast<std::size_t>(n * image + i * pixel + c * channel);
                dbeta.add(in.dy[at]);
                dgamma.add(in.dy[at] * ((in.x[at] - mean) * inv_std));
            }
        }
        const auto at           = static_cast<std::size_t>(c);
        out.dgamma.value[at]    = dgamma.value;
        out.dgamma.magnitude[at] = dgamma.magnitude;
        out.dbeta.value[at]     = dbeta.value;
        out.dbeta.magnitude[at] = dbeta.magnitude;
    });
    return out;
}

double error_bound(const groupnorm::problem& p, std::int64_t terms, double value, double magnitude)
{
    // A result below the smallest normal number is rounded to a multiple of the smallest subnormal one.
    const double smallest_normal = p.type == data_type::fp16 ? 0x1p-14 : 0x1p-126;
    return unit_roundoff(p.type) * std::max(std::abs(value), smallest_normal) +
           0x1p-24 * (8 + 2 * std::sqrt(static_cast<double>(terms))) * magnitude;
}

} // namespace ck_tile::groupnorm_bwd
