// SPDX-License-Identifier: MIT
// Random average-pooling problems, for both passes.
#pragma once

#include "ops/avgpool/problem.hpp"
#include "tests/ops/pooling/fixture.hpp"

#include <vector>

namespace ck_tile::avgpool
{

using pooling::content;
using pooling::experiment_with;
using pooling::known_problems;
using pooling::pass_test;
using pooling::values_of;

inline std::vector<problem> variants_of(problem p)
{
    std::vector<problem> all;
    for(const float divisor : {0.f, 2.5f})
        for(const bool include : {true, false})
            if(divisor == 0 || include)
            {
                p.count_include_pad = include, p.divisor_override = divisor;
                all.push_back(p);
            }
    return all;
}

inline problem random_problem(random_numbers& random) { return pooling::random_problem<problem>(random); }

} // namespace ck_tile::avgpool
