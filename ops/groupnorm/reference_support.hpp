// SPDX-License-Identifier: MIT
// What the fp64 references of forward and backward share, nothing of it with the tile core.
#pragma once

#include "ops/groupnorm/problem.hpp"
#include "ops/reference.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace ck_tile::groupnorm
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

// Where an element of x lies.
struct image_order
{
    const problem& p;
    std::int64_t image, pixel, channel; // strides

    explicit image_order(const problem& given)
        : p(given),
          image(p.pixels() * p.channels()),
          pixel(p.layout == layout::nhwgc ? p.channels() : 1),
          channel(p.layout == layout::nhwgc ? 1 : p.pixels())
    {
    }

    std::size_t operator()(std::int64_t n, std::int64_t c, std::int64_t i) const
    {
        return static_cast<std::size_t>(n * image + i * pixel + c * channel);
    }

    // visit(offset of the element, number of its statistics, channel) for each element, on all cores, side by side in memory.
    template <class Visit>
    void each(const Visit& visit) const
    {
        const auto at = [&](std::int64_t n, std::int64_t c, std::int64_t i) {
            visit((*this)(n, c, i), static_cast<std::size_t>(n * p.groups + c / p.c), static_cast<std::size_t>(c));
        };
        const std::int64_t lines  = channel == 1 ? p.pixels() : p.channels(),
                           length = channel == 1 ? p.channels() : p.pixels();
        on_all_cores(p.batch * lines, [&](std::int64_t number) {
            const std::int64_t n = number / lines, line = number % lines;
            for(std::int64_t k = 0; k < length; ++k)
                channel == 1 ? at(n, k, line) : at(n, line, k);
        });
    }
};

// What a forward pass saves of x, rounded to fp32: the mean of each group, and 1 / sqrt(variance + epsilon).
struct statistics
{
    std::vector<float> mean, inv_std;

    statistics(const problem& p, const std::vector<float>& x, double epsilon)
        : mean(static_cast<std::size_t>(p.batch * p.groups)), inv_std(mean.size())
    {
        const image_order offset(p);
        on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
            const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
            const double elements = static_cast<double>(p.group_elements());
            const auto average    = [&](auto&& term) {
                double sum = 0;
                for(std::int64_t c = first; c < first + p.c; ++c)
                    for(std::int64_t i = 0; i < p.pixels(); ++i)
                        sum += term(static_cast<double>(x[offset(n, c, i)]));
                return sum / elements;
            };
            const double middle   = average([](double v) { return v; });
            const double variance = average([&](double v) { return (v - middle) * (v - middle); });

            mean[static_cast<std::size_t>(statistic)]    = static_cast<float>(middle);
            inv_std[static_cast<std::size_t>(statistic)] = static_cast<float>(1 / std::sqrt(variance + epsilon));
        });
    }
};

} // namespace ck_tile::groupnorm
