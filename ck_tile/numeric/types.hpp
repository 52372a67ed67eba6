// SPDX-License-Identifier: MIT
// Element types, short vectors of them, and conversion with the rounding that the hardware has: to nearest, ties to even.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/targets/primitives.hpp"

#include <type_traits>

namespace ck_tile
{

using fp16 = _Float16;
using bf16 = __bf16;
using fp32 = float;

template <class T>
inline constexpr data_type type_of = std::is_same_v<T, fp16>   ? data_type::fp16
                                     : std::is_same_v<T, bf16> ? data_type::bf16
                                                               : data_type::fp32;

namespace detail
{
template <data_type>
struct element;
template <>
struct element<data_type::fp16>
{
    using type = fp16;
};
template <>
struct element<data_type::bf16>
{
    using type = bf16;
};
template <>
struct element<data_type::fp32>
{
    using type = fp32;
};
} // namespace detail

template <data_type Type>
using element_t = typename detail::element<Type>::type;

// What registers hold of an element: bf16 as its bits, because compilers turn even moves of bf16 into calls of a conversion
// that older libraries lack.
template <class T>
using storage_t = std::conditional_t<std::is_same_v<T, bf16>, unsigned short, T>;

// N elements in consecutive registers, moved by one instruction where the hardware has it.
template <class T, int N>
using vector = storage_t<T> __attribute__((ext_vector_type(N)));

// A number in another type. bf16 is made by integer arithmetic where the target has no instruction for it, because there
// compilers call a library function that older ones lack. A NaN stays a NaN.
template <class To, class From>
CK_TILE_FN constexpr To convert(From x)
{
    if constexpr(std::is_same_v<To, From>)
        return x;
    else if constexpr(std::is_same_v<From, bf16>)
        return convert<To>(__builtin_bit_cast(float, unsigned(__builtin_bit_cast(unsigned short, x)) << 16));
    else if constexpr(std::is_same_v<To, bf16>)
    {
        if constexpr(rounds_to_bf16)
            if(!__builtin_is_constant_evaluated())
                return static_cast<bf16>(convert<float>(x));
        const unsigned bits    = __builtin_bit_cast(unsigned, convert<float>(x));
        const unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
        const bool nan         = (bits & 0x7fffffffu) > 0x7f800000u;
        return __builtin_bit_cast(bf16, static_cast<unsigned short>(nan ? bits >> 16 | 0x40u : rounded));
    }
    else
        return static_cast<To>(x);
}

} // namespace ck_tile
