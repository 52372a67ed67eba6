// SPDX-License-Identifier: MIT
// Global memory on the CPU: plain loads and stores behind a test.
#pragma once

#include "ck_tile/targets/plain_range.hpp"

namespace ck_tile
{

template <class V>
CK_TILE_FN V load_access(const memory_range& range, unsigned offset, V otherwise = {})
{
    V x = otherwise;
    if(offset < range.bytes)
        __builtin_memcpy(&x, range.base + offset, sizeof x);
    return x;
}

template <class V>
CK_TILE_FN void store_access(const memory_range& range, unsigned offset, V x)
{
    if(offset < range.bytes)
        __builtin_memcpy(range.base + offset, &x, sizeof x);
}

} // namespace ck_tile
