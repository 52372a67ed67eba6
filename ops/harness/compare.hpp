// SPDX-License-Identifier: MIT
// Holds a result against what is expected of each element and the error that each may have.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ops/harness/judgement.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ck_tile::harness
{

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

    void set_worst(const expectation& of_it, double value, double overflow);
    double ratio() const; // of the worst element's error to its bound

    // Counts in what was found in the elements that follow these.
    void add(const comparison& next);
};

// What a finite number must reach to be rounded to infinity.
inline double overflow_threshold(data_type type)
{
    return std::ldexp(2 - unit_roundoff(type), type == data_type::fp16 ? 15 : 127);
}

// `expect(i)` is the expectation of element i. `type` is the type that the actual values were stored in.
template <class Expect>
comparison compare(data_type type, const std::vector<float>& actual, Expect expect)
{
    const double overflow = overflow_threshold(type);
    comparison found{.elements = static_cast<std::int64_t>(actual.size())};
    double worst_ratio = -1;
    for(std::int64_t i = 0; i < found.elements; ++i)
    {
        const expectation expected = expect(i);
        const judgement j          = judge(expected, actual[i], overflow);
        found.failures += !j.within;
        if(j.ratio > worst_ratio)
        {
            worst_ratio = j.ratio;
            found.worst = i;
            found.set_worst(expected, actual[i], overflow);
        }
    }
    return found;
}

// The coordinates of a flat index in a tensor of these lengths.
std::vector<std::int64_t> coord_of(std::int64_t index, const std::vector<std::int64_t>& lengths);

// One sentence: how many elements of what was verified how, and the worst of them.
std::string describe(const comparison& found, const std::vector<std::int64_t>& lengths);

} // namespace ck_tile::harness
