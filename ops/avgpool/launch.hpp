// SPDX-License-Identifier: MIT
// What the host sides of both passes share: the divisor as kernels are told it.
#pragma once

#include "ops/avgpool/divisor.hpp"
#include "ops/avgpool/problem.hpp"
#include "ops/pooling/launch.hpp"

namespace ck_tile::avgpool
{

inline divisor divisor_of(const problem& p)
{
    const range h = counted(p, 0), w = counted(p, 1);
    return {divisor_of_all(p), pooling::index_of({h.begin, w.begin}), pooling::index_of({h.end, w.end})};
}

} // namespace ck_tile::avgpool
