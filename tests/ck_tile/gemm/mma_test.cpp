// SPDX-License-Identifier: MIT
// Matrix products on the CPU in the lanes' layouts of every instruction: the fragments of one block.
#include "ck_tile/gemm/mma.hpp"

#include "ck_tile/gemm/pipelines.hpp"
#include "tests/support/random.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

// A matrix of small whole numbers, whose products and sums fp32 holds exactly.
struct matrix
{
    int rows, cols;
    std::vector<float> at_;

    matrix(int r, int c) : rows(r), cols(c), at_(static_cast<std::size_t>(r * c)) {}
    matrix(int r, int c, random_numbers& random) : matrix(r, c)
    {
        for(float& x : at_)
            x = static_cast<float>(random.between(-8, 8));
    }
    float& at(int r, int c) { return at_[static_cast<std::size_t>(r * cols + c)]; }
    float at(int r, int c) const { return at_[static_cast<std::size_t>(r * cols + c)]; }
};

// Element (row, col) of C by the definition, of an instruction with `blocks` independent products of m x n each: fragments
// of A and C are blocks * m rows, of B blocks * n rows, block after block.
double product_at(const matrix& a, const matrix& b, const matrix_instruction& i, int row, int col)
{
    const int block = row % (i.m * i.blocks) / i.m;
    const int b_row = col / i.n * i.n * i.blocks + block * i.n + col % i.n;
    double sum      = 0;
    for(int k = 0; k < a.cols; ++k)
        sum += double(a.at(row, k)) * b.at(b_row, k);
    return sum;
}

template <class Tile>
void fill_lds(const Tile& tile, const matrix& from)
{
    for(int r = 0; r < from.rows; ++r)
        for(int c = 0; c < from.cols; ++c)
            *tile.at(r, c) = convert<typename Tile::element>(from.at(r, c));
}

template <gemm::shape S, majorness Major = majorness::k>
void expect_product()
{
    SCOPED_TRACE(std::string(S.inst().name) + " waves " + std::to_string(S.waves_m) + "x" + std::to_string(S.waves_n));
    using element                         = element_t<S.type()>;
    constexpr gemm::operand_store a_store = {Major, gemm::a_fragments(S)}, b_store = {Major, gemm::b_fragments(S)};
    constexpr auto a_in_lds = gemm::operand_layout<S.instruction, a_store>(S.m, S.k, gemm::a_fragments(S));
    constexpr auto b_in_lds =
        gemm::operand_layout<S.instruction, b_store>(S.n * S.inst().blocks, S.k, gemm::b_fragments(S));
    constexpr int a_elements = a_in_lds.elements();
    alignas(16) static element memory[a_elements + b_in_lds.elements()];
    const lds_tile<element, a_in_lds> a{memory};
    const lds_tile<element, b_in_lds> b{memory + a_elements};

    random_numbers random(30);
    const matrix a_values(S.m, S.k, random), b_values(S.n * S.inst().blocks, S.k, random);
    fill_lds(a, a_values);
    fill_lds(b, b_values);

    const auto expect = [&](const auto& acc, const char* what) {
        int wrong = 0;
        each_element(acc, [&](const multi_index<3>& at, float c) {
            wrong += c != 3 + product_at(a_values, b_values, S.fragment(), at[0], at[1]);
        });
        EXPECT_EQ(wrong, 0) << what << ", of " << S.m * S.n << " elements";
    };
    auto acc = fill<float, gemm::accumulator(S)>(3.f); // what was there stays in the sum
    mma<S>(acc, a, b);
    expect(acc, "A in LDS");

    acc                    = fill<float, gemm::accumulator(S)>(3.f);
    const auto a_registers = generate<element, gemm::a_registers(S)>([&](int i, int j) { return a_values.at(i, j); });
    mma<S>(acc, a_registers, b);
    expect(acc, "A in registers");
}

// Rows of A that lie anywhere in LDS, of two fragments of each wave: those of four waves in groups of eight neighbours, 19 rows apart.
template <opcode Op, int Waves>
void expect_product_of_row_groups()
{
    SCOPED_TRACE(describe(Op).name);
    constexpr int k         = describe(Op).n;
    constexpr gemm::shape s = {Waves * 32, k, k, Waves, 1, Op};
    using element           = element_t<s.type()>;
    constexpr int rows = 400, beyond = 7, next_group = 19, number = 2;
    const auto first = [](thread t) { return 5 + t.wave / 4 * 41; };
    alignas(1024) static element image[rows * k], weights[3 * k * k];
    const lds_tile<element, swizzled_rows(rows, k)> a{image};
    const lds_tile<element, swizzled_rows(k, k)> b{weights};
    random_numbers random(31);
    const matrix a_values(rows, k, random), b_values(k, k, random);
    fill_lds(a, a_values);
    fill_lds(lds_tile<element, swizzled_rows(k, k)>{weights + number * k * k}, b_values);

    auto acc = fill<float, gemm::accumulator(s)>(3.f);
    mma<s>(acc, row_groups<element, swizzled_rows(rows, k), decltype(first)>{a, next_group, beyond, first}, b, number);
    int wrong = 0;
    each_element(acc, [&](const multi_index<3>& at, float c) {
        const int fragment = at[0] / (Waves * 16), wave = at[0] % (Waves * 16) / 16, row = at[0] % 64,
                  where = first({wave, 0, 0, 0}) + beyond + (fragment * 8 + row / 8) * next_group + row % 8;
        double sum      = 3;
        for(int i = 0; i < k; ++i)
            sum += double(a_values.at(where, i)) * b_values.at(at[1], i);
        wrong += c != sum;
    });
    EXPECT_EQ(wrong, 0) << "of " << s.m * s.n << " elements";
}

TEST(Mma, RowsThatLieAnywhere)
{
    expect_product_of_row_groups<opcode::wgmma_64x32x16_fp16, 4>();
    expect_product_of_row_groups<opcode::wgmma_64x32x16_bf16, 8>();
    expect_product_of_row_groups<opcode::wgmma_64x64x16_fp16, 8>();
    expect_product_of_row_groups<opcode::wgmma_64x64x16_bf16, 4>();
}

// One wave with one fragment, and 2 x 2 waves with 2 x 2 fragments; two loads of fragments along k.
template <opcode Op>
void expect_instruction_multiplies()
{
    constexpr gemm::shape one  = {describe(Op).m * describe(Op).blocks, describe(Op).n, 0, 1, 1, Op};
    constexpr gemm::shape four = {4 * one.m, 4 * one.n, 0, 2, 2, Op};
    expect_product<gemm::shape{one.m, one.n, one.k_pack(), 1, 1, Op}>();
    expect_product<gemm::shape{four.m, four.n, 2 * one.k_pack(), 2, 2, Op}>();
}

// Four waves and eight, operands contiguous along either dimension, of which lines are 64 long.
template <opcode Op>
void expect_wgmma_multiplies()
{
    constexpr int n = describe(Op).n;
    expect_product<gemm::shape{64, n, 128, 4, 1, Op}, majorness::k>();
    expect_product<gemm::shape{128, n, 64, 8, 1, Op}, majorness::k>();
    if constexpr(n % 64 == 0)
    {
        expect_product<gemm::shape{64, n, 64, 4, 1, Op}, majorness::mn>();
        expect_product<gemm::shape{128, n, 32, 8, 1, Op}, majorness::mn>();
    }
}

// clang-format off
TEST(Mma, Mfma32x32x8Fp16) { expect_instruction_multiplies<opcode::mfma_32x32x8_fp16>(); }
TEST(Mma, Mfma16x16x16Fp16) { expect_instruction_multiplies<opcode::mfma_16x16x16_fp16>(); }
TEST(Mma, Mfma4x4x4Of16BlocksFp16) { expect_instruction_multiplies<opcode::mfma_4x4x4_16_blocks_fp16>(); }
TEST(Mma, Mfma32x32x8Bf16) { expect_instruction_multiplies<opcode::mfma_32x32x8_bf16>(); }
TEST(Mma, Mfma16x16x16Bf16) { expect_instruction_multiplies<opcode::mfma_16x16x16_bf16>(); }
TEST(Mma, Mfma4x4x4Of16BlocksBf16) { expect_instruction_multiplies<opcode::mfma_4x4x4_16_blocks_bf16>(); }
TEST(Mma, Mfma32x32x2Fp32) { expect_instruction_multiplies<opcode::mfma_32x32x2_fp32>(); }
TEST(Mma, Mfma16x16x4Fp32) { expect_instruction_multiplies<opcode::mfma_16x16x4_fp32>(); }
TEST(Mma, Mfma32x32x16Fp16) { expect_instruction_multiplies<opcode::mfma_32x32x16_fp16>(); }
TEST(Mma, Mfma16x16x32Fp16) { expect_instruction_multiplies<opcode::mfma_16x16x32_fp16>(); }
TEST(Mma, Mfma32x32x16Bf16) { expect_instruction_multiplies<opcode::mfma_32x32x16_bf16>(); }
TEST(Mma, Mfma16x16x32Bf16) { expect_instruction_multiplies<opcode::mfma_16x16x32_bf16>(); }
TEST(Mma, Wmma16x16x16Fp16) { expect_instruction_multiplies<opcode::wmma_16x16x16_fp16>(); }
TEST(Mma, Wmma16x16x16Bf16) { expect_instruction_multiplies<opcode::wmma_16x16x16_bf16>(); }
TEST(Mma, Fma4x8x1Fp32) { expect_instruction_multiplies<opcode::fma_4x8x1_fp32>(); }
TEST(Mma, Mma16x8x16Fp16) { expect_instruction_multiplies<opcode::mma_16x8x16_fp16>(); }
TEST(Mma, Mma16x8x16Bf16) { expect_instruction_multiplies<opcode::mma_16x8x16_bf16>(); }
TEST(Mma, Mma16x8x8Fp16) { expect_instruction_multiplies<opcode::mma_16x8x8_fp16>(); }
TEST(Mma, Mma16x8x8Bf16) { expect_instruction_multiplies<opcode::mma_16x8x8_bf16>(); }
TEST(Mma, Wgmma64x32x16Fp16) { expect_wgmma_multiplies<opcode::wgmma_64x32x16_fp16>(); }
TEST(Mma, Wgmma64x64x16Fp16) { expect_wgmma_multiplies<opcode::wgmma_64x64x16_fp16>(); }
TEST(Mma, Wgmma64x128x16Fp16) { expect_wgmma_multiplies<opcode::wgmma_64x128x16_fp16>(); }
TEST(Mma, Wgmma64x192x16Fp16) { expect_wgmma_multiplies<opcode::wgmma_64x192x16_fp16>(); }
TEST(Mma, Wgmma64x256x16Fp16) { expect_wgmma_multiplies<opcode::wgmma_64x256x16_fp16>(); }
TEST(Mma, Wgmma64x32x16Bf16) { expect_wgmma_multiplies<opcode::wgmma_64x32x16_bf16>(); }
TEST(Mma, Wgmma64x64x16Bf16) { expect_wgmma_multiplies<opcode::wgmma_64x64x16_bf16>(); }
TEST(Mma, Wgmma64x128x16Bf16) { expect_wgmma_multiplies<opcode::wgmma_64x128x16_bf16>(); }
TEST(Mma, Wgmma64x192x16Bf16) { expect_wgmma_multiplies<opcode::wgmma_64x192x16_bf16>(); }
TEST(Mma, Wgmma64x256x16Bf16) { expect_wgmma_multiplies<opcode::wgmma_64x256x16_bf16>(); }
// clang-format on

// The table has no instruction that is not among the tests above.
static_assert(std::size(matrix_instructions) == 29, "mma_test: add a test of the new instruction");

} // namespace
} // namespace ck_tile
