// SPDX-License-Identifier: MIT
// Global memory on NVIDIA GPUs: predicated loads and stores, without a branch. What is not there leaves registers as they are.
#pragma once

#include "ck_tile/targets/plain_range.hpp"

namespace ck_tile
{

namespace detail
{
template <class V>
CK_TILE_FN V load_if(int there, const char* from, V otherwise)
{
    constexpr int size = sizeof(V);
    if constexpr(size == 1)
    {
        unsigned short x = __builtin_bit_cast(unsigned char, otherwise);
        asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.b8 %0, [%1];}"
                     : "+h"(x)
                     : "l"(from), "r"(there));
        return __builtin_bit_cast(V, static_cast<unsigned char>(x));
    }
    else if constexpr(size == 2)
    {
        auto x = __builtin_bit_cast(unsigned short, otherwise);
        asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.b16 %0, [%1];}"
                     : "+h"(x)
                     : "l"(from), "r"(there));
        return __builtin_bit_cast(V, x);
    }
    else
    {
        using words = unsigned __attribute__((ext_vector_type(size / 4)));
        auto x      = __builtin_bit_cast(words, otherwise);
        if constexpr(size == 4)
            asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.b32 %0, [%1];}"
                         : "+r"(x[0])
                         : "l"(from), "r"(there));
        else if constexpr(size == 8)
            asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.b32 {%0, %1}, [%2];}"
                         : "+r"(x[0]), "+r"(x[1])
                         : "l"(from), "r"(there));
        else
            asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4];}"
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
                         : "l"(from), "r"(there));
        return __builtin_bit_cast(V, x);
    }
}
} // namespace detail

template <class V>
CK_TILE_FN V load_access(const memory_range& range, unsigned offset, V otherwise = {})
{
    return detail::load_if(offset < range.bytes, range.base + offset, otherwise);
}
template <class V>
CK_TILE_FN V load_access(const memory_range& range, plane_offset offset, V otherwise = {})
{
    return detail::load_if(offset.first < range.bytes, range.base + offset.plane + offset.first, otherwise);
}

template <class V>
CK_TILE_FN void store_access(const memory_range& range, unsigned offset, V x)
{
    if(offset < range.bytes)
        *reinterpret_cast<V*>(range.base + offset) = x;
}
template <class V>
CK_TILE_FN void store_access(const memory_range& range, plane_offset offset, V x)
{
    if(offset.first < range.bytes)
        *reinterpret_cast<V*>(range.base + offset.plane + offset.first) = x;
}

} // namespace ck_tile
