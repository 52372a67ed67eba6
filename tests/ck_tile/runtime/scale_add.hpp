// SPDX-License-Identifier: MIT
// A kernel for tests of the runtime: x = x * Halves / 2 + added, for each element. The order of several launches shows in x.
#pragma once

#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile
{

template <architecture Arch, int Halves>
struct scale_add_program
{
    static constexpr auto arch     = Arch;
    static constexpr int threads   = 256;
    static constexpr int lds_bytes = 0;

    static constexpr int wave          = facts(Arch).wave;
    static constexpr distribution held = {.lengths = {4 * threads},
                                          .wave    = {{threads / wave, 0, 4 * wave}},
                                          .lane    = {{wave, 0, 4}},
                                          .reg     = {},
                                          .vec     = {{4, 0, 1}}};

    struct arguments
    {
        float* x; // [count]
        float added;
        int count; // a multiple of 4
    };

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto window = make_window<held>(packed_view(a.x, a.count), multi_index{int(b.at.x) * held.length(0)});
        store(window, map([&](float x) { return x * (Halves * 0.5f) + a.added; }, load(window)));
    }
};

} // namespace ck_tile
