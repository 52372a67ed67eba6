// SPDX-License-Identifier: MIT
// Global memory on the CPU: plain loads and stores behind a test.
#pragma once

#include "ck_tile/targets/plain_range.hpp"

namespace ck_tile
{

template <class T, int N>
CK_TILE_FN vector<T, N> load_vector(const memory_range& range, unsigned offset)
{
    vector<T, N> x = {};
    if(offset < range.bytes)
        __builtin_memcpy(&x, range.base + offset, sizeof(T) * N);
    return x;
}

template <class T, int N>
CK_TILE_FN void store_vector(const memory_range& range, unsigned offset, vector<T, N> x)
{
    if(offset < range.bytes)
        __builtin_memcpy(range.base + offset, &x, sizeof(T) * N);
}

} // namespace ck_tile
