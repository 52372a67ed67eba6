// SPDX-License-Identifier: MIT
// Vector access to global memory within bounds: what is not there reads as zero, or as one asks, and is not written.
#pragma once

#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

// N elements from `offset` bytes on: a number, or what converts to one.
template <class T, int N, class Offset>
CK_TILE_FN vector<T, N> load_vector(const memory_range& range, Offset offset)
{
    static_assert(is_access<sizeof(T) * N>, "load: a lane moves 1, 2, 4, 8 or 16 bytes at once");
    return load_access<vector<T, N>>(range, offset);
}
template <class T, int N, class Offset>
CK_TILE_FN vector<T, N> load_vector(const memory_range& range, Offset offset, T otherwise)
{
    static_assert(is_access<sizeof(T) * N>, "load: a lane moves 1, 2, 4, 8 or 16 bytes at once");
    vector<T, N> all;
    CK_TILE_UNROLL
    for(int v = 0; v < N; ++v)
        all[v] = __builtin_bit_cast(storage_t<T>, otherwise);
    return load_access<vector<T, N>>(range, offset, all);
}

template <class T, int N, class Offset>
CK_TILE_FN void store_vector(const memory_range& range, Offset offset, vector<T, N> x)
{
    static_assert(is_access<sizeof(T) * N>, "store: a lane moves 1, 2, 4, 8 or 16 bytes at once");
    store_access(range, offset, x);
}

} // namespace ck_tile
