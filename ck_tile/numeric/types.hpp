// SPDX-License-Identifier: MIT
// Element types, short vectors of them, and conversion with the rounding that the hardware has: to nearest, ties to even.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/targets/primitives.hpp"

#include <cstdint>
#include <type_traits>

namespace ck_tile
{

using fp16 = _Float16;
using bf16 = __bf16;
using fp32 = float;

namespace detail
{
template <data_type Type, class T>
struct element_is
{
    static constexpr data_type value = Type;
    using type                       = T;
};

// One line per type: element_of finds it by the value, type_of by the C++ type. A type without a line is an error of both.
struct elements : element_is<data_type::fp16, fp16>,
                  element_is<data_type::bf16, bf16>,
                  element_is<data_type::fp32, fp32>,
                  element_is<data_type::u8, std::uint8_t>,
                  element_is<data_type::int32, std::int32_t>,
                  element_is<data_type::int64, std::int64_t>
{};

template <data_type Type, class T>
element_is<Type, T> element_of(const element_is<Type, T>&);
template <class T, data_type Type>
element_is<Type, T> line_of(const element_is<Type, T>&);
} // namespace detail

template <class T>
concept element_type = requires { detail::line_of<T>(detail::elements{}); };

template <element_type T>
inline constexpr data_type type_of = decltype(detail::line_of<T>(detail::elements{}))::value;

template <data_type Type>
using element_t = typename decltype(detail::element_of<Type>(detail::elements{}))::type;

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
    static_assert(!std::is_same_v<From, storage_t<bf16>>,
                  "convert: an element of a vector of bf16 is its bits, not its number: __builtin_bit_cast it to bf16");
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
