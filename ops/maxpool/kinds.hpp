// SPDX-License-Identifier: MIT
// The kinds of indices: what a problem and the configuration of a kernel both name.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ops/pooling/layout.hpp"

#include <cstdint>
#include <type_traits>

namespace ck_tile::maxpool
{

using pooling::layout;

// How the place of a window's maximum is told:
//   u8         its number among the elements of the window, y * X + x, in one byte; windows of at most 256 elements
//   int32      its flat index h * W + w in the plane of the input, as PyTorch
//   int64      the same in 8 bytes
//   recompute  not at all: the backward pass finds it in the input again, the forward pass does not write it
enum class indices
{
    u8,
    int32,
    int64,
    recompute
};

// The type of stored indices; for recompute that of none.
constexpr data_type type_of(indices kind)
{
    switch(kind)
    {
    case indices::u8: return data_type::u8;
    case indices::int32: return data_type::int32;
    case indices::int64:
    case indices::recompute: break;
    }
    return data_type::int64;
}

// An index as it lies in memory.
template <indices Kind>
using index_t = std::conditional_t<Kind == indices::u8, std::uint8_t,
                                   std::conditional_t<Kind == indices::int32, std::int32_t, std::int64_t>>;

constexpr int bytes_of(indices kind) { return kind == indices::recompute ? 0 : ck_tile::bytes_of(type_of(kind)); }

} // namespace ck_tile::maxpool

template <>
struct ck_tile::enumerators<ck_tile::maxpool::indices>
{
    using enum maxpool::indices;
    static constexpr const char* type                   = "maxpool::indices";
    static constexpr enumerator<maxpool::indices> all[] = {
        {u8, "u8"}, {int32, "int32"}, {int64, "int64"}, {recompute, "recompute"}};
};
