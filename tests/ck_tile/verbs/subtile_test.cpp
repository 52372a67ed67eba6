// SPDX-License-Identifier: MIT
// The verbs subtile and set_subtile: each element of a subtile is the element of the whole that the definition says.
#include "ck_tile/verbs/subtile.hpp"

#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ck_tile
{
namespace
{

// Threads with three vectors of four columns each, and what can be taken of them.
constexpr distribution whole = {
    .lengths = {64, 12}, .wave = {{2, 0, 32}}, .lane = {{32, 0, 1}}, .reg = {{3, 1, 4}}, .vec = {{4, 1, 1}}};
constexpr distribution columns(int count, int vector)
{
    return {.lengths = {64, count},
            .wave    = {{2, 0, 32}},
            .lane    = {{32, 0, 1}},
            .reg     = {{count / vector, 1, vector}},
            .vec     = {{vector, 1, 1}}};
}

int row_weight = 100; // no constant: the tiles are made when the test runs

template <class T>
tile<T, whole> numbers()
{
    return generate<T, whole>([](int i, int j) { return row_weight * i + j; });
}

template <distribution Subtile, multi_index<3> At, multi_index<3> Step, class T>
void expect_subtile()
{
    const auto x = numbers<T>();
    int elements = 0;
    each_element(subtile<Subtile, At, Step>(x), [&](const multi_index<3>& at, T value) {
        ++elements;
        ASSERT_EQ(value, T(100 * at[0] + At[1] + Step[1] * at[1]));
    });
    EXPECT_EQ(elements, Subtile.elements());

    // What is set is the subtile, and nothing else.
    auto y = fill<T, whole>(T(row_weight - 101));
    set_subtile<At, Step>(y, subtile<Subtile, At, Step>(x));
    each_element(y, [&](const multi_index<3>& at, T value) {
        const int from_start = at[1] - At[1];
        const bool inside    = from_start >= 0 && from_start % Step[1] == 0 && from_start / Step[1] < Subtile.length(1);
        ASSERT_EQ(value, inside ? T(100 * at[0] + at[1]) : T(-1)) << at[1];
    });
}

TEST(Parts, AreSlicesShiftedVectorsAndEveryOtherElement)
{
    constexpr multi_index<3> side_by_side = {1, 1, 1}, apart = {1, 3, 1};
    expect_subtile<columns(4, 4), multi_index{0, 4, 0}, side_by_side, float>(); // a register
    expect_subtile<columns(4, 4), multi_index{0, 3, 0}, side_by_side, int>();   // a vector of two registers
    expect_subtile<columns(8, 2), multi_index{0, 1, 0}, side_by_side, float>(); // in narrower vectors
    expect_subtile<columns(1, 1), multi_index{0, 11, 0}, side_by_side, std::int64_t>();
    expect_subtile<columns(4, 4), multi_index{0, 2, 0}, apart, float>(); // columns 2, 5, 8, 11
    expect_subtile<columns(4, 2), multi_index{0, 0, 0}, apart, int>();
}

TEST(Parts, KeepTheBitsOfEveryType)
{
    const auto x = generate<bf16, whole>([](int i, int j) { return float(i + j + row_weight - 100); });
    each_element(subtile<columns(2, 2), multi_index{0, 7, 0}>(x), [](const multi_index<3>& at, bf16 value) {
        ASSERT_EQ(convert<float>(value), float(at[0] + 7 + at[1]));
    });
    const auto bytes = generate<std::uint8_t, whole>([](int i, int j) { return i + j + row_weight - 100; });
    each_element(subtile<columns(4, 4), multi_index{0, 5, 0}>(bytes),
                 [](const multi_index<3>& at, std::uint8_t value) { ASSERT_EQ(value, at[0] + 5 + at[1]); });
}

} // namespace
} // namespace ck_tile
