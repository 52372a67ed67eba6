// SPDX-License-Identifier: MIT
// Global memory on the CPU: plain loads and stores behind a test.
#pragma once

#include "ck_tile/numeric/types.hpp"

#include <cstdint>

namespace ck_tile
{

struct memory_range
{
    char* base;
    std::uint32_t bytes;

    CK_TILE_FN memory_range(const void* address, std::int64_t size)
        : base(const_cast<char*>(static_cast<const char*>(address))), bytes(static_cast<std::uint32_t>(size))
    {
    }

    CK_TILE_FN void skip(std::uint32_t more)
    {
        more = more < bytes ? more : bytes;
        base += more;
        bytes -= more;
    }
};

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
