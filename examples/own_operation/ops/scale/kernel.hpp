// SPDX-License-Identifier: MIT
// y = factor * x, as a program of one block: locate, load, compute, store.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/scale/config.hpp"

namespace ck_tile::scale
{

struct arguments
{
    const void* x;
    void* y;
    int elements;
    float factor;
};

template <config C>
struct program
{
    static_assert(!check(C), "scale: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = 0;
    using element                      = element_t<C.dtype>;
    using arguments                    = scale::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        constexpr distribution tile = C.tile();
        const multi_index<1> origin = {static_cast<int>(b.at.x) * tile.lengths[0]};
        const auto x = make_window<tile>(packed_view(static_cast<const element*>(a.x), a.elements), origin);
        const auto y = make_window<tile>(packed_view(static_cast<element*>(a.y), a.elements), origin);
        store(y, map([&](element e) { return convert<element>(a.factor * convert<float>(e)); }, load(x)));
    }
};

} // namespace ck_tile::scale
