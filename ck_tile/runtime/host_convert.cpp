// SPDX-License-Identifier: MIT
// fp16 by the compiler's own type, bf16 by bit arithmetic, fp32 as it is.
#include "ck_tile/runtime/host_convert.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>

namespace ck_tile
{

namespace
{

std::uint16_t to_fp16(float value) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)); }

float from_fp16(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

std::uint16_t to_bf16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if(std::isnan(value))
    {
        // Rounding could carry a NaN into infinity, or into zero; setting the quiet bit keeps it one.
        return static_cast<std::uint16_t>((bits >> 16) | 0x40);
    }
    const std::uint32_t upper_is_odd = (bits >> 16) & 1;
    return static_cast<std::uint16_t>((bits + 0x7fff + upper_is_odd) >> 16);
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// The nearest whole number of the type, 0 for NaN.
template <class Integer>
Integer to_integer(float value)
{
    using limits = std::numeric_limits<Integer>;
    if(std::isnan(value))
        return 0;
    const float whole = std::nearbyint(value);
    // The largest number of a wide type is not a float; the next float above it is.
    return whole >= static_cast<float>(limits::max())   ? limits::max()
           : whole <= static_cast<float>(limits::min()) ? limits::min()
                                                        : static_cast<Integer>(whole);
}

template <class To, class From>
To cast(From value)
{
    return static_cast<To>(value);
}

// Elements are copied in and out by memcpy, as the bytes need not be aligned; it compiles to plain loads and stores.
template <class To, class From, class Convert>
void convert_each(void* to, const void* from, std::size_t elements, Convert convert)
{
    for(std::size_t i = 0; i < elements; ++i)
    {
        From value;
        std::memcpy(&value, static_cast<const std::byte*>(from) + i * sizeof(From), sizeof(From));
        const To converted = convert(value);
        std::memcpy(static_cast<std::byte*>(to) + i * sizeof(To), &converted, sizeof(To));
    }
}

// f(an integer of the type); nothing for floating-point types.
template <class F>
void with_integer(data_type type, F&& f)
{
    switch(type)
    {
    case data_type::u8: f(std::uint8_t{}); break;
    case data_type::int32: f(std::int32_t{}); break;
    case data_type::int64: f(std::int64_t{}); break;
    case data_type::fp16:
    case data_type::bf16:
    case data_type::fp32: break;
    }
}

} // namespace

std::vector<std::byte> encode(data_type type, std::span<const float> values)
{
    std::vector<std::byte> elements(values.size() * bytes_of(type));
    switch(type)
    {
    case data_type::fp16:
        convert_each<std::uint16_t, float>(elements.data(), values.data(), values.size(), to_fp16);
        break;
    case data_type::bf16:
        convert_each<std::uint16_t, float>(elements.data(), values.data(), values.size(), to_bf16);
        break;
    case data_type::fp32:
        convert_each<float, float>(elements.data(), values.data(), values.size(), std::identity{});
        break;
    case data_type::u8:
        convert_each<std::uint8_t, float>(elements.data(), values.data(), values.size(), to_integer<std::uint8_t>);
        break;
    case data_type::int32:
        convert_each<std::int32_t, float>(elements.data(), values.data(), values.size(), to_integer<std::int32_t>);
        break;
    case data_type::int64:
        convert_each<std::int64_t, float>(elements.data(), values.data(), values.size(), to_integer<std::int64_t>);
        break;
    }
    return elements;
}

std::vector<float> decode(data_type type, std::span<const std::byte> elements)
{
    std::vector<float> values(elements.size() / bytes_of(type));
    switch(type)
    {
    case data_type::fp16:
        convert_each<float, std::uint16_t>(values.data(), elements.data(), values.size(), from_fp16);
        break;
    case data_type::bf16:
        convert_each<float, std::uint16_t>(values.data(), elements.data(), values.size(), from_bf16);
        break;
    case data_type::fp32:
        convert_each<float, float>(values.data(), elements.data(), values.size(), std::identity{});
        break;
    case data_type::u8:
        convert_each<float, std::uint8_t>(values.data(), elements.data(), values.size(), cast<float, std::uint8_t>);
        break;
    case data_type::int32:
        convert_each<float, std::int32_t>(values.data(), elements.data(), values.size(), cast<float, std::int32_t>);
        break;
    case data_type::int64:
        convert_each<float, std::int64_t>(values.data(), elements.data(), values.size(), cast<float, std::int64_t>);
        break;
    }
    return values;
}

std::vector<std::byte> encode_integers(data_type type, std::span<const std::int64_t> values)
{
    std::vector<std::byte> elements(is_floating(type) ? 0 : values.size() * bytes_of(type));
    with_integer(type, [&]<class Integer>(Integer) {
        convert_each<Integer, std::int64_t>(elements.data(), values.data(), values.size(), cast<Integer, std::int64_t>);
    });
    return elements;
}

std::vector<std::int64_t> decode_integers(data_type type, std::span<const std::byte> elements)
{
    std::vector<std::int64_t> values(is_floating(type) ? 0 : elements.size() / bytes_of(type));
    with_integer(type, [&]<class Integer>(Integer) {
        convert_each<std::int64_t, Integer>(values.data(), elements.data(), values.size(), cast<std::int64_t, Integer>);
    });
    return values;
}

} // namespace ck_tile
