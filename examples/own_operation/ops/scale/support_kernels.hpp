// SPDX-License-Identifier: MIT
// The reference kernel: one thread per element, no tiles.
#pragma once

#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/scale/kernel.hpp"

namespace ck_tile::scale
{

template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int threads       = facts(Arch).wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = scale::arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{threads, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int first = static_cast<int>(b.at.x) * threads, rest = a.elements - first;
        for_each_index<line>(rest < threads ? rest : threads, [&](thread, int i) {
            const float x                         = convert<float>(static_cast<const element*>(a.x)[first + i]);
            static_cast<element*>(a.y)[first + i] = convert<element>(a.factor * x);
        });
    }
};

} // namespace ck_tile::scale
