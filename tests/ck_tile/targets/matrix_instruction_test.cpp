// SPDX-License-Identifier: MIT
// The instruction tables against AMD's matrix instruction calculator, and the facts of the architectures.
//
// The formulas below are those that the calculator prints ("Matrix element to register mapping with no modifiers"):
//   matrix_calculator.py -a cdna2|cdna3|cdna4|rdna3 -i <instruction> -d
// at github.com/ROCm/amd_matrix_instruction_calculator; wave32 on RDNA3. An instruction has the same layout on all
// architectures that have it.
#include "ck_tile/targets/matrix_instruction.hpp"

#include "ck_tile/targets/targets.hpp"
#include "tests/support/print_target.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ck_tile
{
namespace
{

// Where the calculator says an element lies: the 4-byte register, the first bit in it, and the lane. An element that more
// than one lane holds lies at `lane`, `lane` + `copy_distance`, ...
struct location
{
    int gpr, bit, lane;
};

using formula = location (*)(int row, int k_or_column, int block);

struct calculated
{
    opcode op;
    const char* names; // on CDNA2, CDNA3; on CDNA4; on RDNA3
    int m, n, k, blocks;
    int cycles;                 // on CDNA3, CDNA4, RDNA3
    int a_gprs, b_gprs, c_gprs; //
    formula a, c;               // A[i][k] and C[i][j]
    int copy_distance;          // in lanes, between copies of A and B; 0: one copy
    formula b = nullptr;        // where B[k][j] lies, if not where A[j][k] does
};

// clang-format off
constexpr location operand_of_32(int i, int k, int) { return {k / 2 % 2, 16 * (k % 2), 32 * (k / 4) + i}; }
constexpr location operand_of_16(int i, int k, int) { return {k / 2 % 2, 16 * (k % 2), 16 * (k / 4) + i}; }
constexpr location operand_of_4(int i, int k, int block) { return {k / 2, 16 * (k % 2), 4 * block + i}; }
constexpr location deep_operand_of_32(int i, int k, int) { return {k / 2 % 4, 16 * (k % 2), 32 * (k / 8) + i}; }
constexpr location deep_operand_of_16(int i, int k, int) { return {k / 2 % 4, 16 * (k % 2), 16 * (k / 8) + i}; }
constexpr location operand_of_32_fp32(int i, int k, int) { return {0, 0, 32 * k + i}; }
constexpr location operand_of_16_fp32(int i, int k, int) { return {0, 0, 16 * k + i}; }
constexpr location operand_of_wmma(int i, int k, int) { return {k / 2, 16 * (k % 2), i}; }
constexpr location result_of_32(int i, int j, int) { return {4 * (i / 8) + i % 4, 0, 32 * (i / 4) % 64 + j}; }
constexpr location result_of_16(int i, int j, int) { return {i % 4, 0, 16 * (i / 4) + j}; }
constexpr location result_of_4(int i, int j, int block) { return {i, 0, 4 * block + j}; }
constexpr location result_of_wmma(int i, int j, int) { return {i / 2, 0, 16 * i % 32 + j}; }
// From the PTX ISA's description of mma.m16n8k16, whose groups of four lanes hold a row.
constexpr location a_of_mma(int i, int k, int) { return {i / 8 + 2 * (k / 8), 16 * (k % 2), 4 * (i % 8) + k % 8 / 2}; }
constexpr location b_of_mma(int j, int k, int) { return {k / 8, 16 * (k % 2), 4 * j + k % 8 / 2}; }
constexpr location result_of_mma(int i, int j, int) { return {2 * (i / 8) + j % 2, 0, 4 * (i % 8) + j / 2}; }

constexpr calculated calculator[] = {
    {opcode::mfma_32x32x8_fp16,         "v_mfma_f32_32x32x8f16, v_mfma_f32_32x32x8_f16",        32, 32,  8,  1, 32, 2, 2, 16, operand_of_32,      result_of_32,    0},
    {opcode::mfma_16x16x16_fp16,        "v_mfma_f32_16x16x16f16, v_mfma_f32_16x16x16_f16",      16, 16, 16,  1, 16, 2, 2,  4, operand_of_16,      result_of_16,    0},
    {opcode::mfma_4x4x4_16_blocks_fp16, "v_mfma_f32_4x4x4f16, v_mfma_f32_4x4x4_16b_f16",         4,  4,  4, 16,  8, 2, 2,  4, operand_of_4,       result_of_4,     0},
    {opcode::mfma_32x32x8_bf16,         "v_mfma_f32_32x32x8bf16_1k, v_mfma_f32_32x32x8_bf16",   32, 32,  8,  1, 32, 2, 2, 16, operand_of_32,      result_of_32,    0},
    {opcode::mfma_16x16x16_bf16,        "v_mfma_f32_16x16x16bf16_1k, v_mfma_f32_16x16x16_bf16", 16, 16, 16,  1, 16, 2, 2,  4, operand_of_16,      result_of_16,    0},
    {opcode::mfma_4x4x4_16_blocks_bf16, "v_mfma_f32_4x4x4bf16_1k, v_mfma_f32_4x4x4_16b_bf16",    4,  4,  4, 16,  8, 2, 2,  4, operand_of_4,       result_of_4,     0},
    {opcode::mfma_32x32x2_fp32,         "v_mfma_f32_32x32x2f32, v_mfma_f32_32x32x2_f32",        32, 32,  2,  1, 64, 1, 1, 16, operand_of_32_fp32, result_of_32,    0},
    {opcode::mfma_16x16x4_fp32,         "v_mfma_f32_16x16x4f32, v_mfma_f32_16x16x4_f32",        16, 16,  4,  1, 32, 1, 1,  4, operand_of_16_fp32, result_of_16,    0},
    {opcode::mfma_32x32x16_fp16,        "v_mfma_f32_32x32x16_f16",                              32, 32, 16,  1, 32, 4, 4, 16, deep_operand_of_32, result_of_32,    0},
    {opcode::mfma_16x16x32_fp16,        "v_mfma_f32_16x16x32_f16",                              16, 16, 32,  1, 16, 4, 4,  4, deep_operand_of_16, result_of_16,    0},
    {opcode::mfma_32x32x16_bf16,        "v_mfma_f32_32x32x16_bf16",                             32, 32, 16,  1, 32, 4, 4, 16, deep_operand_of_32, result_of_32,    0},
    {opcode::mfma_16x16x32_bf16,        "v_mfma_f32_16x16x32_bf16",                             16, 16, 32,  1, 16, 4, 4,  4, deep_operand_of_16, result_of_16,    0},
    {opcode::wmma_16x16x16_fp16,        "v_wmma_f32_16x16x16_f16",                              16, 16, 16,  1, 32, 8, 8,  8, operand_of_wmma,    result_of_wmma, 16},
    {opcode::wmma_16x16x16_bf16,        "v_wmma_f32_16x16x16_bf16",                             16, 16, 16,  1, 32, 8, 8,  8, operand_of_wmma,    result_of_wmma, 16},
    {opcode::mma_16x8x16_fp16,          "mma.m16n8k16 f16",                                     16,  8, 16,  1,  4, 4, 2,  4, a_of_mma,           result_of_mma,   0, b_of_mma},
    {opcode::mma_16x8x16_bf16,          "mma.m16n8k16 bf16",                                    16,  8, 16,  1,  4, 4, 2,  4, a_of_mma,           result_of_mma,   0, b_of_mma},
    {opcode::mma_16x8x8_fp16,           "mma.m16n8k8 f16",                                      16,  8,  8,  1,  2, 2, 1,  4, a_of_mma,           result_of_mma,   0, b_of_mma},
    {opcode::mma_16x8x8_bf16,           "mma.m16n8k8 bf16",                                     16,  8,  8,  1,  2, 2, 1,  4, a_of_mma,           result_of_mma,   0, b_of_mma},
};
// clang-format on

// Expects that distribution `d` puts element (row, col) of each block, and nothing else, where the formula says.
void expect_layout(const distribution& d, const calculated& expected, formula where, int rows, int cols, int bits,
                   int gprs, int copy_distance)
{
    EXPECT_EQ(d.length(0), rows * expected.blocks);
    EXPECT_EQ(d.length(1), cols);
    EXPECT_EQ(d.length(2), 1);
    EXPECT_EQ(d.waves(), 1);
    EXPECT_EQ(d.regs(), 1);
    EXPECT_EQ(d.vecs() * bits, gprs * 32);
    int slots = 0;
    each_slot(d, [&](const slot& p, const multi_index<3>& at) {
        ++slots;
        const location l = where(at[0] % rows, at[1], at[0] / rows);
        const int lane   = copy_distance > 0 ? p.lane % copy_distance : p.lane;
        ASSERT_EQ(lane, l.lane) << "row " << at[0] << " column " << at[1];
        ASSERT_EQ(p.vec * bits, l.gpr * 32 + l.bit) << "row " << at[0] << " column " << at[1];
    });
    EXPECT_EQ(slots, rows * cols * expected.blocks * (copy_distance > 0 ? d.lanes() / copy_distance : 1));
}

TEST(MatrixInstruction, LayoutsAreTheCalculators)
{
    for(const calculated& expected : calculator)
    {
        const matrix_instruction& i = describe(expected.op);
        SCOPED_TRACE(i.name + std::string(": ") + expected.names);
        EXPECT_EQ(i.m, expected.m);
        EXPECT_EQ(i.n, expected.n);
        EXPECT_EQ(i.k, expected.k);
        EXPECT_EQ(i.blocks, expected.blocks);
        EXPECT_EQ(i.cycles, expected.cycles);
        const int bits = 8 * bytes_of(i.type);
        expect_layout(i.a, expected, expected.a, i.m, i.k, bits, expected.a_gprs, expected.copy_distance);
        expect_layout(i.b, expected, expected.b ? expected.b : expected.a, i.n, i.k, bits, expected.b_gprs,
                      expected.copy_distance);
        expect_layout(i.c, expected, expected.c, i.m, i.n, 32, expected.c_gprs, 0);
    }
}

// Single elements as the calculator prints them (-g), so that a slip in a formula above cannot hide one in the table.
TEST(MatrixInstruction, SpotValues)
{
    struct spot
    {
        opcode op;
        char matrix;
        int row, col;
        int lane, vec;
    };
    // clang-format off
    constexpr spot spots[] = {
        {opcode::mfma_32x32x8_fp16, 'A', 5, 6, 37, 2},          // A[5][6]     = v1{37}.[15:0]
        {opcode::mfma_32x32x8_fp16, 'B', 31, 3, 31, 3},         // B[3][31]    = v1{31}.[31:16]
        {opcode::mfma_32x32x8_fp16, 'C', 13, 7, 39, 5},         // C[13][7]    = v5{39}
        {opcode::mfma_32x32x8_bf16, 'C', 31, 31, 63, 15},       // C[31][31]   = v15{63}
        {opcode::mfma_16x16x16_fp16, 'A', 9, 13, 57, 1},        // A[9][13]    = v0{57}.[31:16]
        {opcode::mfma_16x16x16_bf16, 'C', 6, 11, 27, 2},        // C[6][11]    = v2{27}
        {opcode::mfma_4x4x4_16_blocks_fp16, 'A', 22, 3, 22, 3}, // A[2][3].B5  = v1{22}.[31:16]
        {opcode::mfma_4x4x4_16_blocks_bf16, 'C', 63, 1, 61, 3}, // C[3][1].B15 = v3{61}
        {opcode::mfma_32x32x2_fp32, 'A', 4, 1, 36, 0},          // A[4][1]     = v0{36}
        {opcode::mfma_16x16x4_fp32, 'B', 2, 3, 50, 0},          // B[3][2]     = v0{50}
        {opcode::mfma_32x32x16_fp16, 'A', 3, 13, 35, 5},        // A[3][13]    = v2{35}.[31:16]
        {opcode::mfma_16x16x32_bf16, 'B', 9, 26, 57, 2},        // B[26][9]    = v1{57}.[15:0]
        {opcode::wmma_16x16x16_fp16, 'A', 3, 9, 19, 9},         // A[3][9]     = v4{3}.[31:16] v4{19}.[31:16]
        {opcode::wmma_16x16x16_bf16, 'C', 7, 2, 18, 3},         // C[7][2]     = v3{18}
    };
    // clang-format on
    for(const spot& s : spots)
    {
        const matrix_instruction& i = describe(s.op);
        const distribution& d       = s.matrix == 'A' ? i.a : s.matrix == 'B' ? i.b : i.c;
        EXPECT_EQ(d.locate(0, {0, s.lane, 0, s.vec}), s.row) << i.name << ' ' << s.matrix;
        EXPECT_EQ(d.locate(1, {0, s.lane, 0, s.vec}), s.col) << i.name << ' ' << s.matrix;
    }
}

TEST(MatrixInstruction, PlainMultiplyAddsAreAGrid)
{
    const matrix_instruction& i = describe(opcode::fma_4x8x1_fp32);
    EXPECT_EQ(i.c.lanes(), 32);
    for(int lane = 0; lane < 32; ++lane)
    {
        const slot p = {0, lane, 0, 0};
        EXPECT_EQ(i.c.locate(0, p), i.a.locate(0, p)) << "lane " << lane << " multiplies its row of A";
        EXPECT_EQ(i.c.locate(1, p), i.b.locate(0, p)) << "by its row of B";
    }
}

// The accumulators of wgmma.mma_async.m64nNk16 by the PTX ISA: d[i] of a lane.
TEST(MatrixInstruction, ResultOfWgmmaIsTheIsas)
{
    for(const matrix_instruction& w : matrix_instructions)
    {
        if(w.operands != operand_source::lds)
            continue;
        EXPECT_EQ(w.c.regs() * w.c.vecs(), w.n / 2) << w.name;
        for(int wave = 0; wave < 4; ++wave)
            for(int lane = 0; lane < 32; ++lane)
                for(int i = 0; i < w.n / 2; ++i)
                {
                    const slot p = {wave, lane, i / 4, i % 4};
                    ASSERT_EQ(w.c.locate(0, p), 16 * wave + lane / 4 + 8 * (i / 2 % 2)) << w.name;
                    ASSERT_EQ(w.c.locate(1, p), 8 * (i / 4) + lane % 4 * 2 + i % 2) << w.name;
                }
    }
}

TEST(MatrixInstruction, EveryLayoutCovers)
{
    std::set<opcode> ops;
    std::set<std::string> names;
    for(const matrix_instruction& i : matrix_instructions)
    {
        EXPECT_TRUE(i.a.covers() && i.b.covers() && i.c.covers()) << i.name;
        EXPECT_EQ(i.c.replication(), 1) << i.name;
        EXPECT_EQ(i.a.lanes(), i.c.lanes()) << i.name;
        EXPECT_EQ(i.b.lanes(), i.c.lanes()) << i.name;
        EXPECT_TRUE(i.a.waves() == i.waves && i.b.waves() == i.waves && i.c.waves() == i.waves) << i.name;
        EXPECT_EQ(i.waves > 1, i.operands == operand_source::lds) << i.name;
        EXPECT_EQ(describe(i.fragment()).type, i.type) << i.name;
        EXPECT_EQ(&describe(i.op), &i) << i.name << " has two rows";
        EXPECT_TRUE(ops.insert(i.op).second && names.insert(i.name).second) << i.name;
    }
    for(const calculated& c : calculator)
        EXPECT_EQ(ops.count(c.op), 1u) << c.names;
    EXPECT_EQ(std::size(calculator) + 1 + 10, std::size(matrix_instructions))
        << "an instruction that is not compared with the calculator; the plain multiply-add and wgmma are none of its";
}

class Facts : public testing::TestWithParam<const target*>
{};

TEST_P(Facts, ListInstructionsThatTheArchitectureHas)
{
    const target& t = *GetParam();
    ASSERT_GT(t.instruction_count, 0);
    ASSERT_LE(t.instruction_count, static_cast<int>(std::size(t.instructions)));
    std::set<opcode> listed;
    for(int n = 0; n < t.instruction_count; ++n)
    {
        const matrix_instruction& i = describe(t.instructions[n]);
        EXPECT_TRUE(listed.insert(i.op).second) << i.name << " is listed twice";
        EXPECT_TRUE(t.has(i.op));
        EXPECT_EQ(i.c.lanes(), t.wave) << i.name;
        // RDNA has WMMA, CDNA has MFMA, Hopper mma and wgmma; a plain multiply-add stands in where fp32 has none.
        const std::string name = i.name, family = name.substr(0, name.find('_'));
        EXPECT_EQ(family, i.type == data_type::fp32 && t.wave == 32 ? "fma"
                          : t.arch == architecture::gfx11           ? "wmma"
                          : i.operands == operand_source::lds       ? "wgmma"
                          : t.arch == architecture::sm90            ? "mma"
                                                                    : "mfma");
    }
    for(const matrix_instruction& i : matrix_instructions)
        EXPECT_EQ(t.has(i.op), listed.count(i.op) == 1) << i.name;
    for(data_type type : {data_type::fp16, data_type::bf16, data_type::fp32})
    {
        bool any = false;
        for(opcode op : listed)
            any = any || describe(op).type == type;
        EXPECT_TRUE(any) << "nothing multiplies " << name_of(type);
    }
}

TEST_P(Facts, AreConsistent)
{
    const target& t = *GetParam();
    EXPECT_EQ(&facts(t.arch), &t);
    EXPECT_EQ(t.lds_bytes % (t.lds_banks * 4), 0) << "banks are equally long";
    EXPECT_EQ(t.max_block_threads % t.wave, 0);
    EXPECT_TRUE(compiles_for(t.arch)) << "the CPU runs every architecture's programs";
}

TEST(MatrixInstruction, EachGenerationOfCdnaKeepsWhatTheOneBeforeHas)
{
    for(const matrix_instruction& i : matrix_instructions)
    {
        EXPECT_TRUE(!gfx90a.has(i.op) || gfx942.has(i.op)) << i.name;
        EXPECT_TRUE(!gfx942.has(i.op) || gfx950.has(i.op)) << i.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Facts, testing::ValuesIn(all_targets),
                         [](const auto& info) { return std::string(info.param->name); });

} // namespace
} // namespace ck_tile
