// SPDX-License-Identifier: MIT
// Tiles in LDS: layouts are bijections, swizzled ones meet each bank once, and what is stored is loaded.
#include "ck_tile/core/lds_tile.hpp"

#include "ck_tile/gemm/pipelines.hpp"
#include "tests/support/gemm_shapes.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <class Layout>
void expect_bijection(const Layout& layout)
{
    const auto map = layout.map();
    std::vector<bool> used(static_cast<std::size_t>(layout.elements()));
    for(int row = 0; row < layout.rows; ++row)
        for(int col = 0; col < layout.cols; ++col)
        {
            const int offset = map({row, col}).offset;
            ASSERT_TRUE(offset >= 0 && offset < layout.elements()) << "row " << row << " column " << col;
            ASSERT_FALSE(used[static_cast<std::size_t>(offset)])
                << "row " << row << " column " << col << " is not alone";
            used[static_cast<std::size_t>(offset)] = true;
        }
}

// The hardware serves 16-byte accesses of eight consecutive lanes at once: together they must touch each of the 32 banks
// of 4 bytes exactly once. Lanes walk down the rows, all at one chunk.
void expect_no_bank_conflicts(const lds_layout& layout, int element_bytes)
{
    const auto map  = layout.map();
    const int chunk = 16 / element_bytes;
    for(int col = 0; col < layout.cols; col += chunk)
        for(int first = 0; first + 8 <= layout.rows; first += 8)
        {
            int hits[32] = {};
            for(int row = first; row < first + 8; ++row)
            {
                const int byte = map({row, col}).offset * element_bytes;
                ASSERT_EQ(byte % 16, 0) << "row " << row << " column " << col << " is not aligned";
                ASSERT_EQ(map({row, col + chunk - 1}).offset, map({row, col}).offset + chunk - 1)
                    << "a chunk lies apart";
                for(int word = 0; word < 4; ++word)
                    ++hits[(byte / 4 + word) % 32];
            }
            for(int bank = 0; bank < 32; ++bank)
                ASSERT_EQ(hits[bank], 1) << "bank " << bank << ", rows from " << first << ", column " << col;
        }
}

TEST(LdsTile, LayoutsAreBijections)
{
    for(int element_bytes : {2, 4})
        for(int vector_bytes : {4, 8, 16})
            for(int rows : {1, 8, 16, 48, 64, 128})
                for(int cols : {8, 16, 24, 32, 40, 64, 96, 128, 256})
                    expect_bijection(swizzled(rows, cols, element_bytes, vector_bytes, 32));
    expect_bijection(lds_layout{.rows = 5, .cols = 7});
    expect_bijection(lds_layout{.rows = 5, .cols = 7, .pad = 3});
    for(int rows : {64, 128, 256})
        for(int cols : {8, 32, 64})
            expect_bijection(swizzled_128b<majorness::mn>{rows, cols}),
                expect_bijection(swizzled_128b<majorness::k>{cols, rows});
}

// What the swizzle of 128 bytes is by the PTX ISA: bits 4 to 6 of a byte's address xor bits 7 to 9, over lines of 128 bytes
// that hold 64 rows of one column, or 64 columns of one row; eight lines repeat, panels follow each other.
TEST(LdsTile, LinesAreSwizzledAsWgmmaReadsThem)
{
    constexpr swizzled_128b<majorness::mn> rows_contiguous = {192, 40};
    constexpr swizzled_128b<majorness::k> k_contiguous     = {40, 192};
    for(int far = 0; far < 192; ++far)
        for(int line = 0; line < 40; ++line)
        {
            const int plain = far / 64 * 40 * 128 + line * 128 + far % 64 * 2, there = plain ^ (plain >> 7 & 7) << 4;
            ASSERT_EQ(rows_contiguous.map()({far, line}).offset * 2, there) << far << ", " << line;
            ASSERT_EQ(k_contiguous.map()({line, far}).offset * 2, there) << line << ", " << far;
        }
}

TEST(LdsTile, SwizzledLayoutsMeetEachBankOnce)
{
    for(int element_bytes : {2, 4})
        for(int rows : {8, 16, 32, 64, 128, 256})
            for(int line = 16; line <= 1024; line *= 2)
            {
                SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(line) + " bytes");
                const lds_layout layout = swizzled(rows, line / element_bytes, element_bytes, 16, 32);
                EXPECT_EQ(layout.elements(), rows * line / element_bytes) << "needs no padding";
                expect_no_bank_conflicts(layout, element_bytes);
            }
}

// Rows that have no power of two of vectors are padded, where that helps.
TEST(LdsTile, PaddedLayoutsMeetEachBankOnce)
{
    for(int element_bytes : {2, 4})
        for(int chunks : {3, 5, 6, 7, 10, 12, 14, 20, 24})
        {
            SCOPED_TRACE(std::to_string(chunks) + " vectors a row, elements of " + std::to_string(element_bytes) +
                         " bytes");
            expect_no_bank_conflicts(swizzled(64, chunks * 16 / element_bytes, element_bytes, 16, 32), element_bytes);
        }
}

TEST(LdsTile, OperandsOfEveryGemmShapeMeetEachBankOnce)
{
    for(const target* arch : all_targets)
        for(const gemm::shape& s : gemm_shapes(*arch))
        {
            if(s.inst().operands == operand_source::lds)
                continue; // the hardware's own layout
            SCOPED_TRACE(describe_shape(s));
            expect_no_bank_conflicts(swizzled(s.m, s.k, bytes_of(s.type()), 16, 32), bytes_of(s.type()));
        }
}

// Distributions of a 64 x 32 tile: what one writes, the others read.
constexpr distribution along_rows   = {.lengths = {64, 32},
                                       .wave    = {{2, 0, 32}},
                                       .lane    = {{4, 1, 8}, {16, 0, 1}},
                                       .reg     = {{2, 0, 16}},
                                       .vec     = {{8, 1, 1}}};
constexpr distribution down_columns = {.lengths = {64, 32},
                                       .wave    = {{2, 1, 16}},
                                       .lane    = {{16, 1, 1}, {4, 0, 4}},
                                       .reg     = {{4, 0, 16}},
                                       .vec     = {{4, 0, 1}}};
constexpr distribution scattered    = {
    .lengths = {64, 32}, .wave = {{2, 0, 1}}, .lane = {{32, 0, 2}}, .reg = {{4, 1, 2}}, .vec = {{2, 1, 1}, {4, 1, 8}}};
constexpr distribution replicated = {
    .lengths = {64, 32}, .wave = {{2}}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{32, 1, 1}}};

template <distribution Write, distribution Read, class T, lds_layout Layout>
void expect_round_trip(const lds_tile<T, Layout>& memory, multi_index<2> origin)
{
    const auto value = [](int i, int j) { return (i * 37 + j * 5) % 251 - 100; };
    store(memory, generate<T, Write, 2>([&](int i, int j) { return convert<T>(float(value(i, j))); }), origin);
    for(int i = 0; i < 64; ++i)
        for(int j = 0; j < 32; ++j)
            ASSERT_EQ(convert<float>(*memory.at(origin[0] + i, origin[1] + j)), float(value(i, j)));
    int wrong = 0;
    each_element(load<Read>(memory, origin),
                 [&](const multi_index<3>& at, T x) { wrong += convert<float>(x) != float(value(at[0], at[1])); });
    EXPECT_EQ(wrong, 0);
}

// Through both corners, with one pair of distributions each way.
template <distribution Write, distribution Read, class T, lds_layout Layout>
void expect_round_trips()
{
    alignas(16) static T data[Layout.elements() + 16];
    for(T& x : data)
        x = convert<T>(-1.f);
    const lds_tile<T, Layout> memory{data};
    for(const multi_index<2> origin : {multi_index{0, 0}, {Layout.rows - 64, Layout.cols - 32}})
        expect_round_trip<Write, Read>(memory, origin);
    for(int i = Layout.elements(); i < Layout.elements() + 16; ++i)
        EXPECT_EQ(convert<float>(data[i]), -1.f) << "stored past the end";
}

TEST(LdsTile, LoadGivesWhatAnotherDistributionStored)
{
    expect_round_trips<along_rows, down_columns, fp16, swizzled(64, 32, 2, 16, 32)>();
    expect_round_trips<replicated, along_rows, fp16, swizzled(96, 64, 2, 8, 32)>();
    expect_round_trips<down_columns, scattered, float, swizzled(96, 64, 4, 16, 32)>();
    expect_round_trips<scattered, replicated, float, swizzled(64, 96, 4, 16, 32)>();
    expect_round_trips<along_rows, scattered, bf16, lds_layout{.rows = 64, .cols = 64}>();
    expect_round_trips<along_rows, scattered, fp16, lds_layout{.rows = 64, .cols = 32, .pad = 2}>();
    static_assert(detail::lds_run<along_rows, fp16, lds_layout{.rows = 64, .cols = 32}> == 8);
    static_assert(detail::lds_run<along_rows, fp16, lds_layout{.rows = 64, .cols = 32, .pad = 2}> == 2,
                  "rows start at multiples of 4 bytes only");
    static_assert(lds_tile<fp16, lds_layout{.rows = 4, .cols = 8, .pad = 2}>::bytes == 80);
}

} // namespace
} // namespace ck_tile
