// SPDX-License-Identifier: MIT
// Global memory on AMD GPUs: raw buffer instructions, whose bounds check makes the predicate free of branches.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

struct memory_range
{
    char* base;
    std::int32_t bytes; // none if negative

    CK_TILE_FN memory_range(const void* address, std::int64_t size)
        : base(const_cast<char*>(static_cast<const char*>(address))), bytes(static_cast<std::int32_t>(size))
    {
    }

    CK_TILE_FN void skip(std::uint32_t more)
    {
        base += more;
        bytes -= static_cast<std::int32_t>(more);
    }

    CK_TILE_FN __amdgpu_buffer_rsrc_t descriptor() const
    {
        return __builtin_amdgcn_make_buffer_rsrc(base, 0, bytes > 0 ? bytes : 0, detail::buffer_format);
    }
};

namespace detail
{
template <int Bytes>
CK_TILE_FN auto raw_load(__amdgpu_buffer_rsrc_t descriptor, unsigned offset, unsigned plane = 0)
{
    if constexpr(Bytes == 1)
        return __builtin_amdgcn_raw_buffer_load_b8(descriptor, offset, plane, 0);
    else if constexpr(Bytes == 2)
        return __builtin_amdgcn_raw_buffer_load_b16(descriptor, offset, plane, 0);
    else if constexpr(Bytes == 4)
        return __builtin_amdgcn_raw_buffer_load_b32(descriptor, offset, plane, 0);
    else if constexpr(Bytes == 8)
        return __builtin_amdgcn_raw_buffer_load_b64(descriptor, offset, plane, 0);
    else
        return __builtin_amdgcn_raw_buffer_load_b128(descriptor, offset, plane, 0);
}

template <int Bytes, class Raw>
CK_TILE_FN void raw_store(__amdgpu_buffer_rsrc_t descriptor, unsigned offset, Raw x, unsigned plane = 0)
{
    if constexpr(Bytes == 1)
        __builtin_amdgcn_raw_buffer_store_b8(x, descriptor, offset, plane, 0);
    else if constexpr(Bytes == 2)
        __builtin_amdgcn_raw_buffer_store_b16(x, descriptor, offset, plane, 0);
    else if constexpr(Bytes == 4)
        __builtin_amdgcn_raw_buffer_store_b32(x, descriptor, offset, plane, 0);
    else if constexpr(Bytes == 8)
        __builtin_amdgcn_raw_buffer_store_b64(x, descriptor, offset, plane, 0);
    else
        __builtin_amdgcn_raw_buffer_store_b128(x, descriptor, offset, plane, 0);
}
} // namespace detail

template <class V>
CK_TILE_FN V load_access(const memory_range& range, plane_offset offset)
{
    return __builtin_bit_cast(V, detail::raw_load<sizeof(V)>(range.descriptor(), offset.first, offset.plane));
}
template <class V>
CK_TILE_FN V load_access(const memory_range& range, plane_offset offset, V otherwise)
{
    const V x = load_access<V>(range, offset);
    return range.bytes > 0 && offset.first < unsigned(range.bytes) ? x : otherwise;
}
template <class V>
CK_TILE_FN V load_access(const memory_range& range, unsigned offset)
{
    return load_access<V>(range, plane_offset{offset, 0});
}
template <class V>
CK_TILE_FN V load_access(const memory_range& range, unsigned offset, V otherwise)
{
    return load_access<V>(range, plane_offset{offset, 0}, otherwise);
}

template <class V>
CK_TILE_FN void store_access(const memory_range& range, plane_offset offset, V x)
{
    using raw = decltype(detail::raw_load<sizeof(V)>(range.descriptor(), 0));
    detail::raw_store<sizeof(V)>(range.descriptor(), offset.first, __builtin_bit_cast(raw, x), offset.plane);
}
template <class V>
CK_TILE_FN void store_access(const memory_range& range, unsigned offset, V x)
{
    store_access(range, plane_offset{offset, 0}, x);
}

} // namespace ck_tile
