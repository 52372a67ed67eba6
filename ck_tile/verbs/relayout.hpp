// SPDX-License-Identifier: MIT
// The verb relayout: a tile distributed otherwise among the lanes of each wave.
#pragma once

#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

namespace detail
{
// Whether each wave owns the same elements in both, as their digits of waves say.
constexpr bool same_waves(const distribution& from, const distribution& to)
{
    const auto digit = [](const digits& all, int n) { // the n-th that counts
        for(int i = 0; i < all.count; ++i)
            if(all.at[i].extent > 1 && n-- == 0)
                return all.at[i];
        return ck_tile::digit{};
    };
    for(int n = 0; n <= from.wave.count || n <= to.wave.count; ++n)
        if(digit(from.wave, n) != digit(to.wave, n))
            return false;
    return from.waves() == to.waves() && from.lanes() == to.lanes();
}
} // namespace detail

// The same tile in a distribution that gives each wave the same elements, as when the result of a matrix instruction becomes an operand of
// another. Where each thread has them too, its registers are renamed; else the wave goes through LDS, which has room for the tile.
template <distribution To, class T, distribution From, auto Layout>
CK_TILE_FN tile<T, To> relayout(const tile<T, From>& x, const lds_tile<T, Layout>& through)
{
    static_assert(detail::same_waves(From, To), "relayout: each wave must own the same elements in both distributions; "
                                                "store to LDS, in.sync() and load to move elements between waves");
    if constexpr(detail::same_owners<From, To>())
        return rearrange<To>(x);
    else
    {
        sync_wave(); // what was read there before
        store(through, x);
        sync_wave();
        return load<To>(through);
    }
}

} // namespace ck_tile
