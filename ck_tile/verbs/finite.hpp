// SPDX-License-Identifier: MIT
// Whether numbers are finite, for programs that compute what is not so in another way: 0 times a NaN or an infinity is a NaN, so that where
// operands are 0 for what does not count, such as other groups of channels, what is not finite reaches sums that it does not belong to.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// 0 if all elements of a thread of a tile distributed by D are finite, else a NaN: a multiply-add for each. Such numbers of several tiles can be
// added up.
template <distribution D, class File>
CK_TILE_FN float nan_unless_finite(const File& own)
{
    constexpr int chains = 4; // that do not wait for each other
    float found[chains]  = {};
    for_each_element<D>([&](auto r, auto v) {
        found[r % chains] = __builtin_fmaf(convert<float>(own.get(r, v)), 0.f, found[r % chains]);
    });
    return (found[0] + found[1]) + (found[2] + found[3]);
}

} // namespace ck_tile
