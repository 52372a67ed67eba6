// SPDX-License-Identifier: MIT
// Seeded random group normalisations, and results held against a reference: for forward and backward.
#pragma once

#include "ops/groupnorm/reference_support.hpp"
#include "tests/support/kernel_test.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace ck_tile::groupnorm
{

// Sizes of every kind: odd ones, multiples of 8, empty batches, one to three dimensions.
inline problem random_problem(random_numbers& random)
{
    problem p;
    p.spatial         = random.between(1, 3);
    p.batch           = random.between(0, 9) == 0 ? 0 : random.between(1, 3);
    p.groups          = random.between(1, 5);
    p.c               = random.between(0, 1) ? random.between(1, 13) : 8 * random.between(1, 5);
    p.layout          = random.between(0, 1) ? layout::nhwgc : layout::ngchw;
    const int longest = p.spatial == 1 ? 600 : p.spatial == 2 ? 24 : 9;
    for(std::size_t d = 0; d < 3; ++d)
        p.image[d] = random.between(0, 1) ? random.between(1, longest) : 8 * random.between(1, p.spatial == 1 ? 60 : 2);
    return p;
}

// Expects each element within the bound for sums of so many terms, and infinite or NaN where the reference is either. Stops at
// the first that is not.
inline void expect_matches(const char* name, data_type type, std::int64_t terms, const reference_result& expected,
                           const std::vector<float>& found, const std::string& what)
{
    ASSERT_EQ(expected.value.size(), found.size()) << what;
    for(std::size_t i = 0; i < found.size(); ++i)
    {
        const double bound = error_bound(type, terms, expected.value[i], expected.magnitude[i]);
        ASSERT_TRUE(std::isfinite(expected.value[i]) ? std::abs(found[i] - expected.value[i]) <= bound
                                                     : !std::isfinite(found[i]))
            << what << ": " << name << "[" << i << "] is " << found[i] << ", the reference says " << expected.value[i]
            << " with an error of at most " << bound;
    }
}

} // namespace ck_tile::groupnorm
