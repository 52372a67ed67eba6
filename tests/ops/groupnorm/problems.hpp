// SPDX-License-Identifier: MIT
// Seeded random group normalisations and values.
#pragma once

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/groupnorm/problem.hpp"

#include <random>
#include <vector>

namespace ck_tile::groupnorm
{

// Values from middle - reach to middle + reach, rounded to the type.
inline std::vector<float> random_values(std::int64_t count, data_type type, std::uint32_t seed, float middle,
                                        float reach)
{
    std::minstd_rand random(seed + 1);
    std::vector<float> values(static_cast<std::size_t>(count));
    for(float& v : values)
        v = middle + reach * (static_cast<float>(random() % 2001) / 1000.f - 1.f);
    return decode(type, encode(type, values));
}

// Sizes of every kind: odd ones, multiples of 8, empty batches, one to three dimensions.
inline problem random_problem(std::minstd_rand& random)
{
    const auto among = [&](int low, int high) { return low + static_cast<int>(random() % unsigned(high - low + 1)); };
    problem p;
    p.spatial = among(1, 3);
    p.batch   = among(0, 9) == 0 ? 0 : among(1, 3);
    p.groups  = among(1, 5);
    p.c       = among(0, 1) ? among(1, 13) : 8 * among(1, 5);
    p.layout  = among(0, 1) ? layout::nhwgc : layout::ngchw;
    for(std::size_t d = 0; d < 3; ++d)
        p.image[d] = among(0, 1) ? among(1, p.spatial == 1   ? 600
                                            : p.spatial == 2 ? 24
                                                             : 9)
                                 : 8 * among(1, p.spatial == 1 ? 60 : 2);
    return p;
}

} // namespace ck_tile::groupnorm
