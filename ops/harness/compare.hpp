// SPDX-License-Identifier: MIT
// Holds a result against what is expected of each element and the error that each may have.
#pragma once

#include "ck_tile/numeric/data_type.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ck_tile::harness
{

struct expectation
{
    double value; // before it is rounded to the result's type
    double bound; // of the error, that rounding included
};

struct comparison
{
    std::int64_t elements = 0;
    std::int64_t failures = 0;

    // The element with the largest error in units of its bound.
    std::int64_t worst = 0;
    double expected    = 0;
    double actual      = 0;
    double error       = 0;
    double bound       = 0;

    bool passed() const { return failures == 0; }
};

// What a finite number must reach to be rounded to infinity.
inline double overflow_threshold(data_type type)
{
    return std::ldexp(2 - unit_roundoff(type), type == data_type::fp16 ? 15 : 127);
}

// The distance of what is there from what is expected: infinite where one is NaN or infinite and the other is not so.
inline double error_of(data_type type, const expectation& expected, double actual)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if(std::isnan(expected.value))
        return std::isnan(actual) ? 0 : infinity;
    if(std::isinf(expected.value))
        return actual == expected.value ? 0 : infinity;
    if(std::isinf(actual) && std::signbit(actual) == std::signbit(expected.value) &&
       std::abs(expected.value) + expected.bound >= overflow_threshold(type))
    {
        return 0;
    }
    return std::isfinite(actual) ? std::abs(actual - expected.value) : infinity;
}

// `expect(i)` is the expectation of element i. `type` is the type that the actual values were stored in.
template <class Expect>
comparison compare(data_type type, const std::vector<float>& actual, Expect expect)
{
    comparison found{.elements = static_cast<std::int64_t>(actual.size())};
    double worst_ratio = -1;
    for(std::int64_t i = 0; i < found.elements; ++i)
    {
        const expectation expected = expect(i);
        const double error         = error_of(type, expected, actual[i]);
        const bool within          = error == 0 || (error <= expected.bound && std::isfinite(expected.bound));
        const double ratio         = error == 0 ? 0 : expected.bound > 0 ? error / expected.bound : INFINITY;
        found.failures += !within;
        if(ratio > worst_ratio)
        {
            worst_ratio    = ratio;
            found.worst    = i;
            found.expected = expected.value;
            found.actual   = actual[i];
            found.error    = error;
            found.bound    = expected.bound;
        }
    }
    return found;
}

// The coordinates of a flat index in a tensor of these lengths.
std::vector<std::int64_t> coord_of(std::int64_t index, const std::vector<std::int64_t>& lengths);

// One sentence: how many elements of what was verified how, and the worst of them.
std::string describe(const comparison& found, const std::vector<std::int64_t>& lengths);

} // namespace ck_tile::harness
