// SPDX-License-Identifier: MIT
// Hints to the compiler about values: what is worth a register.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// The tile alone is worth its registers: what was worked out from it before this point, such as its elements in a wider type,
// is worked out again after it instead of being kept.
template <class T, distribution D>
CK_TILE_FN void make_opaque([[maybe_unused]] tile<T, D>& x)
{
    constexpr int words = D.vecs() * static_cast<int>(sizeof(T)) / 4;
    if constexpr(on_device && words > 0)
        static_for<D.regs()>([&](auto r) {
            using packed = unsigned __attribute__((ext_vector_type(words)));
            packed p     = __builtin_bit_cast(packed, x.files[0].reg[r]);
            for(int i = 0; i < words; ++i)
            {
                unsigned word = p[i];
                make_opaque(word);
                p[i] = word;
            }
            x.files[0].reg[r] = __builtin_bit_cast(typename tile<T, D>::registers, p);
        });
}

// x, of which the compiler no longer knows where it came from: what is worked out from it is worked out anew, instead of being
// kept in registers since it was worked out before.
CK_TILE_FN int opaque(int x)
{
    make_opaque(x);
    return x;
}

} // namespace ck_tile
