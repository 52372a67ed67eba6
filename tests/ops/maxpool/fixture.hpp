// SPDX-License-Identifier: MIT
// Random max-pooling problems, for both passes.
#pragma once

#include "ops/maxpool/problem.hpp"
#include "tests/ops/pooling/fixture.hpp"

#include <vector>

namespace ck_tile::maxpool
{

using pooling::content;
using pooling::experiment_with;
using pooling::known_problems;
using pooling::pass_test;

inline std::vector<problem> variants_of(problem p)
{
    std::vector<problem> all;
    for(const indices kind : {indices::u8, indices::int32, indices::int64, indices::recompute})
    {
        p.indices = kind;
        all.push_back(p);
    }
    return all;
}

inline problem random_problem(random_numbers& random) { return pooling::random_problem<problem>(random); }

} // namespace ck_tile::maxpool
