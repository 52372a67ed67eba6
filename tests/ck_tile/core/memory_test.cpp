// SPDX-License-Identifier: MIT
// Accesses of every width and element type: what lies in the range is moved, what does not reads as zero and stays.
#include "ck_tile/core/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace ck_tile
{
namespace
{

template <class T, int N>
void expect_access_within_bounds()
{
    constexpr int elements = 32;
    std::array<T, elements> memory;
    for(int i = 0; i < elements; ++i)
        memory[std::size_t(i)] = T(i + 1);
    const memory_range range(memory.data(), 16 * sizeof(T)); // the first half
    for(int i = 0; i < elements; i += N)
    {
        const auto x = load_vector<T, N>(range, unsigned(i * int(sizeof(T))));
        for(int v = 0; v < N; ++v)
            EXPECT_EQ(T(x[v]), i < 16 ? T(i + 1 + v) : T(0));
    }
    const auto missing = load_vector<T, N>(range, nowhere);
    for(int v = 0; v < N; ++v)
        EXPECT_EQ(T(missing[v]), T(0));

    for(int i = 0; i < elements; i += N)
    {
        vector<T, N> x = {};
        for(int v = 0; v < N; ++v)
            x[v] = T(100 - i - v);
        store_vector<T, N>(range, unsigned(i * int(sizeof(T))), x);
    }
    for(int i = 0; i < elements; ++i)
        EXPECT_EQ(memory[std::size_t(i)], i < 16 ? T(100 - i) : T(i + 1));
}

template <class T, int N>
void expect_otherwise()
{
    std::array<T, N> memory;
    memory.fill(convert<T>(3));
    const memory_range range(memory.data(), sizeof memory);
    const auto there   = load_vector<T, N>(range, 0, convert<T>(-7)),
               missing = load_vector<T, N>(range, sizeof memory, convert<T>(-7));
    for(int v = 0; v < N; ++v)
    {
        EXPECT_EQ(__builtin_bit_cast(T, storage_t<T>(there[v])), convert<T>(3));
        EXPECT_EQ(__builtin_bit_cast(T, storage_t<T>(missing[v])), convert<T>(-7));
    }
}

TEST(Memory, WhatIsNotThereReadsAsOneAsks)
{
    expect_otherwise<std::uint8_t, 1>();
    expect_otherwise<std::int64_t, 2>();
    expect_otherwise<fp16, 8>();
    expect_otherwise<bf16, 8>();
    expect_otherwise<bf16, 1>();
    expect_otherwise<fp32, 4>();
}

TEST(Memory, AccessesOfEveryWidthAndType)
{
    expect_access_within_bounds<std::uint8_t, 1>();
    expect_access_within_bounds<std::uint8_t, 2>();
    expect_access_within_bounds<std::uint8_t, 4>();
    expect_access_within_bounds<std::uint8_t, 8>();
    expect_access_within_bounds<std::uint8_t, 16>();
    expect_access_within_bounds<std::int32_t, 1>();
    expect_access_within_bounds<std::int32_t, 4>();
    expect_access_within_bounds<std::int64_t, 1>();
    expect_access_within_bounds<std::int64_t, 2>();
    expect_access_within_bounds<fp16, 1>();
    expect_access_within_bounds<fp16, 8>();
    expect_access_within_bounds<fp32, 2>();
    expect_access_within_bounds<fp32, 4>();
}

} // namespace
} // namespace ck_tile
