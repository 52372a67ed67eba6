// SPDX-License-Identifier: MIT
// How one element of a result is judged, on the host and in kernels alike: by the error that it may have, and what counts as one.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile::harness
{

struct expectation
{
    double value; // before it is rounded to the result's type
    double bound; // of the error, that rounding included
};

// By how much an element may be off that is a sum of `terms` numbers whose absolute values add up to `magnitude`: see error_bound()
// in ops/reference.hpp.
struct tolerance
{
    double roundoff; // of the result's type
    double smallest; // normal number of it: what is smaller is rounded to multiples of a subnormal one
    double sum;      // 2^-24 * (8 + 2 * sqrt(terms)) * slack, the error of an fp32 sum of magnitude 1
    double overflow; // what a finite number must reach to be rounded to infinity
    bool exact;      // no error at all
    bool by_kernel;  // what is expected is an fp32 result itself, and may be as wrong as one

    CK_TILE_FN expectation expect(double value, double magnitude) const
    {
#pragma clang fp contract(off) // the same bits on every target
        const auto larger = [](double a, double b) { return a < b ? b : a; };
        const double size = __builtin_fabs(value);
        const double own  = by_kernel ? 0x1p-24 * larger(size, 0x1p-126) + sum * magnitude : 0;
        return {value, exact ? 0 : roundoff * larger(size, smallest) + sum * magnitude + own};
    }
};

struct judgement
{
    double error; // infinite where one is NaN or infinite and the other is not so
    double ratio; // of the error to its bound
    bool within;
};

CK_TILE_FN judgement judge(const expectation& expected, double actual, double overflow)
{
    constexpr double infinity = __builtin_inf();
    const auto is_nan         = [](double x) { return x != x; };
    const auto is_infinite    = [](double x) { return __builtin_fabs(x) == infinity; };
    double error              = __builtin_fabs(actual - expected.value);
    if(is_nan(expected.value))
        error = is_nan(actual) ? 0 : infinity;
    else if(is_infinite(expected.value))
        error = actual == expected.value ? 0 : infinity;
    else if(is_infinite(actual) && (actual < 0) == (expected.value < 0) &&
            __builtin_fabs(expected.value) + expected.bound >= overflow)
        error = 0;
    else if(is_nan(actual) || is_infinite(actual))
        error = infinity;
    const bool finite_bound = expected.bound < infinity; // false of NaN
    return {error,
            error == 0           ? 0
            : expected.bound > 0 ? error / expected.bound
                                 : infinity,
            error == 0 || (error <= expected.bound && finite_bound)};
}

} // namespace ck_tile::harness
