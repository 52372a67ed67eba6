// SPDX-License-Identifier: MIT
// Matrix instructions as data: shape, types, and which lane holds what of A, B and C. Generic code reads these tables.
//
// An instruction multiplies A [blocks * m, k] by B [blocks * n, k], block by block, into C [blocks * m, n]; the row of A
// and C, and the row of B, is dimension 0, the reduction dimension 1 of A and B, the column dimension 1 of C. The layouts
// are those of AMD's matrix instruction calculator, and for mma of NVIDIA's PTX ISA.
#pragma once

#include "ck_tile/core/distribution.hpp"
#include "ck_tile/numeric/data_type.hpp"

namespace ck_tile
{

enum class opcode
{
    mfma_32x32x8_fp16,
    mfma_16x16x16_fp16,
    mfma_4x4x4_16_blocks_fp16,
    mfma_32x32x8_bf16,
    mfma_16x16x16_bf16,
    mfma_4x4x4_16_blocks_bf16,
    mfma_32x32x2_fp32,
    mfma_16x16x4_fp32,
    mfma_32x32x16_fp16,
    mfma_16x16x32_fp16,
    mfma_32x32x16_bf16,
    mfma_16x16x32_bf16,
    wmma_16x16x16_fp16,
    wmma_16x16x16_bf16,
    fma_4x8x1_fp32, // a wave32's lanes as a 4 x 8 grid of plain multiply-adds
    mma_16x8x16_fp16,
    mma_16x8x16_bf16,
    mma_16x8x8_fp16,
    mma_16x8x8_bf16,
    wgmma_64x32x16_fp16,
    wgmma_64x64x16_fp16,
    wgmma_64x128x16_fp16,
    wgmma_64x192x16_fp16,
    wgmma_64x256x16_fp16,
    wgmma_64x32x16_bf16,
    wgmma_64x64x16_bf16,
    wgmma_64x128x16_bf16,
    wgmma_64x192x16_bf16,
    wgmma_64x256x16_bf16
};

// Where an instruction takes A and B from.
enum class operand_source
{
    registers,
    lds
};

template <>
struct enumerators<operand_source>
{
    using enum operand_source;
    static constexpr const char* type                 = "operand_source";
    static constexpr enumerator<operand_source> all[] = {{registers, "registers"}, {lds, "lds"}};
};

struct matrix_instruction
{
    opcode op;
    const char* name;
    data_type type; // of A and B; C is fp32
    int m, n, k;    // of one block
    int blocks;     // independent products
    int cycles;     // that the matrix unit is busy with one wave's instruction, on gfx942, gfx950, gfx11 and sm90
    distribution a, b, c;
    operand_source operands = operand_source::registers;
    int waves               = 1;     // that make it together, one below the other
    bool takes_mn_major     = false; // operands whose rows are contiguous; all take those whose k is
    opcode share = {}; // of operands from LDS: the instruction in whose layouts a wave has its part of A, B, C

    // The instruction whose fragments a wave holds.
    constexpr opcode fragment() const { return operands == operand_source::lds ? share : op; }
};

namespace layouts
{

// Operands of one wave: lanes first run through the rows, then through groups of `vec` consecutive k.
constexpr distribution mfma_operand(int rows, int k, int vec)
{
    return {
        .lengths = {rows, k}, .wave = {}, .lane = {{rows, 0, 1}, {k / vec, 1, vec}}, .reg = {}, .vec = {{vec, 1, 1}}};
}

inline constexpr distribution mfma_32x32_result = {
    .lengths = {32, 32}, .wave = {}, .lane = {{32, 1, 1}, {2, 0, 4}}, .reg = {}, .vec = {{4, 0, 1}, {4, 0, 8}}};
inline constexpr distribution mfma_16x16_result = {
    .lengths = {16, 16}, .wave = {}, .lane = {{16, 1, 1}, {4, 0, 4}}, .reg = {}, .vec = {{4, 0, 1}}};
inline constexpr distribution mfma_4x4_result = {
    .lengths = {64, 4}, .wave = {}, .lane = {{4, 1, 1}, {16, 0, 4}}, .reg = {}, .vec = {{4, 0, 1}}};

// Both halves of the wave hold all of A and B.
inline constexpr distribution wmma_operand = {
    .lengths = {16, 16}, .wave = {}, .lane = {{16, 0, 1}, {2}}, .reg = {}, .vec = {{16, 1, 1}}};
inline constexpr distribution wmma_result = {
    .lengths = {16, 16}, .wave = {}, .lane = {{16, 1, 1}, {2, 0, 1}}, .reg = {}, .vec = {{8, 0, 2}}};

inline constexpr distribution fma_a = {.lengths = {4, 1}, .wave = {}, .lane = {{8}, {4, 0, 1}}, .reg = {}, .vec = {}};
inline constexpr distribution fma_b = {.lengths = {8, 1}, .wave = {}, .lane = {{8, 0, 1}, {4}}, .reg = {}, .vec = {}};
inline constexpr distribution fma_result = {
    .lengths = {4, 8}, .wave = {}, .lane = {{8, 1, 1}, {4, 0, 1}}, .reg = {}, .vec = {}};

// A lane of mma holds two rows of A and C, and pairs of consecutive k and columns.
inline constexpr distribution mma_a = {.lengths = {16, 16},
                                       .wave    = {},
                                       .lane    = {{4, 1, 2}, {8, 0, 1}},
                                       .reg     = {},
                                       .vec     = {{2, 1, 1}, {2, 0, 8}, {2, 1, 8}}};
inline constexpr distribution mma_b = {
    .lengths = {8, 16}, .wave = {}, .lane = {{4, 1, 2}, {8, 0, 1}}, .reg = {}, .vec = {{2, 1, 1}, {2, 1, 8}}};
// Half as deep.
inline constexpr distribution half_mma_a = {
    .lengths = {16, 8}, .wave = {}, .lane = mma_a.lane, .reg = {}, .vec = {{2, 1, 1}, {2, 0, 8}}};
inline constexpr distribution half_mma_b = {
    .lengths = {8, 8}, .wave = {}, .lane = mma_b.lane, .reg = {}, .vec = {{2, 1, 1}}};
inline constexpr distribution mma_result = {
    .lengths = {16, 8}, .wave = {}, .lane = {{4, 1, 2}, {8, 0, 1}}, .reg = {}, .vec = {{2, 1, 1}, {2, 0, 8}}};

// wgmma: four waves, of which each holds 16 rows of A and C as fragments of mma side by side. A and B stay in LDS.
inline constexpr distribution wgmma_a = {
    .lengths = {64, 16}, .wave = {{4, 0, 16}}, .lane = mma_a.lane, .reg = {}, .vec = mma_a.vec};
constexpr distribution wgmma_b(int n)
{
    return {.lengths = {n, 16}, .wave = {{4}}, .lane = mma_b.lane, .reg = {{n / 8, 0, 8}}, .vec = mma_b.vec};
}
constexpr distribution wgmma_result(int n)
{
    return {.lengths = {64, n},
            .wave    = {{4, 0, 16}},
            .lane    = mma_result.lane,
            .reg     = {{n / 8, 1, 8}},
            .vec     = mma_result.vec};
}

} // namespace layouts

// The row of a wgmma of n columns.
constexpr matrix_instruction wgmma(opcode op, const char* name, data_type type, int n, opcode share)
{
    return {.op             = op,
            .name           = name,
            .type           = type,
            .m              = 64,
            .n              = n,
            .k              = 16,
            .blocks         = 1,
            .cycles         = n / 2,
            .a              = layouts::wgmma_a,
            .b              = layouts::wgmma_b(n),
            .c              = layouts::wgmma_result(n),
            .operands       = operand_source::lds,
            .waves          = 4,
            .takes_mn_major = true,
            .share          = share};
}

inline constexpr matrix_instruction matrix_instructions[] = {
    // clang-format off
    //  op                                 name                        type             m   n   k  blocks cycles
    {opcode::mfma_32x32x8_fp16,         "mfma_32x32x8_fp16",         data_type::fp16, 32, 32,  8,  1, 32, layouts::mfma_operand(32, 8, 4),  layouts::mfma_operand(32, 8, 4),  layouts::mfma_32x32_result},
    {opcode::mfma_16x16x16_fp16,        "mfma_16x16x16_fp16",        data_type::fp16, 16, 16, 16,  1, 16, layouts::mfma_operand(16, 16, 4), layouts::mfma_operand(16, 16, 4), layouts::mfma_16x16_result},
    {opcode::mfma_4x4x4_16_blocks_fp16, "mfma_4x4x4_16_blocks_fp16", data_type::fp16,  4,  4,  4, 16,  8, layouts::mfma_operand(64, 4, 4),  layouts::mfma_operand(64, 4, 4),  layouts::mfma_4x4_result},
    {opcode::mfma_32x32x8_bf16,         "mfma_32x32x8_bf16",         data_type::bf16, 32, 32,  8,  1, 32, layouts::mfma_operand(32, 8, 4),  layouts::mfma_operand(32, 8, 4),  layouts::mfma_32x32_result},
    {opcode::mfma_16x16x16_bf16,        "mfma_16x16x16_bf16",        data_type::bf16, 16, 16, 16,  1, 16, layouts::mfma_operand(16, 16, 4), layouts::mfma_operand(16, 16, 4), layouts::mfma_16x16_result},
    {opcode::mfma_4x4x4_16_blocks_bf16, "mfma_4x4x4_16_blocks_bf16", data_type::bf16,  4,  4,  4, 16,  8, layouts::mfma_operand(64, 4, 4),  layouts::mfma_operand(64, 4, 4),  layouts::mfma_4x4_result},
    {opcode::mfma_32x32x2_fp32,         "mfma_32x32x2_fp32",         data_type::fp32, 32, 32,  2,  1, 64, layouts::mfma_operand(32, 2, 1),  layouts::mfma_operand(32, 2, 1),  layouts::mfma_32x32_result},
    {opcode::mfma_16x16x4_fp32,         "mfma_16x16x4_fp32",         data_type::fp32, 16, 16,  4,  1, 32, layouts::mfma_operand(16, 4, 1),  layouts::mfma_operand(16, 4, 1),  layouts::mfma_16x16_result},
    {opcode::mfma_32x32x16_fp16,        "mfma_32x32x16_fp16",        data_type::fp16, 32, 32, 16,  1, 32, layouts::mfma_operand(32, 16, 8), layouts::mfma_operand(32, 16, 8), layouts::mfma_32x32_result},
    {opcode::mfma_16x16x32_fp16,        "mfma_16x16x32_fp16",        data_type::fp16, 16, 16, 32,  1, 16, layouts::mfma_operand(16, 32, 8), layouts::mfma_operand(16, 32, 8), layouts::mfma_16x16_result},
    {opcode::mfma_32x32x16_bf16,        "mfma_32x32x16_bf16",        data_type::bf16, 32, 32, 16,  1, 32, layouts::mfma_operand(32, 16, 8), layouts::mfma_operand(32, 16, 8), layouts::mfma_32x32_result},
    {opcode::mfma_16x16x32_bf16,        "mfma_16x16x32_bf16",        data_type::bf16, 16, 16, 32,  1, 16, layouts::mfma_operand(16, 32, 8), layouts::mfma_operand(16, 32, 8), layouts::mfma_16x16_result},
    {opcode::wmma_16x16x16_fp16,        "wmma_16x16x16_fp16",        data_type::fp16, 16, 16, 16,  1, 32, layouts::wmma_operand,            layouts::wmma_operand,            layouts::wmma_result},
    {opcode::wmma_16x16x16_bf16,        "wmma_16x16x16_bf16",        data_type::bf16, 16, 16, 16,  1, 32, layouts::wmma_operand,            layouts::wmma_operand,            layouts::wmma_result},
    {opcode::fma_4x8x1_fp32,            "fma_4x8x1_fp32",            data_type::fp32,  4,  8,  1,  1,  1, layouts::fma_a,                   layouts::fma_b,                   layouts::fma_result},
    {opcode::mma_16x8x16_fp16,          "mma_16x8x16_fp16",          data_type::fp16, 16,  8, 16,  1,  4, layouts::mma_a,                   layouts::mma_b,                   layouts::mma_result},
    {opcode::mma_16x8x16_bf16,          "mma_16x8x16_bf16",          data_type::bf16, 16,  8, 16,  1,  4, layouts::mma_a,                   layouts::mma_b,                   layouts::mma_result},
    {opcode::mma_16x8x8_fp16,           "mma_16x8x8_fp16",           data_type::fp16, 16,  8,  8,  1,  2, layouts::half_mma_a,              layouts::half_mma_b,              layouts::mma_result},
    {opcode::mma_16x8x8_bf16,           "mma_16x8x8_bf16",           data_type::bf16, 16,  8,  8,  1,  2, layouts::half_mma_a,              layouts::half_mma_b,              layouts::mma_result},
    wgmma(opcode::wgmma_64x32x16_fp16, "wgmma_64x32x16_fp16", data_type::fp16, 32, opcode::mma_16x8x16_fp16),
    wgmma(opcode::wgmma_64x64x16_fp16, "wgmma_64x64x16_fp16", data_type::fp16, 64, opcode::mma_16x8x16_fp16),
    wgmma(opcode::wgmma_64x128x16_fp16, "wgmma_64x128x16_fp16", data_type::fp16, 128, opcode::mma_16x8x16_fp16),
    wgmma(opcode::wgmma_64x192x16_fp16, "wgmma_64x192x16_fp16", data_type::fp16, 192, opcode::mma_16x8x16_fp16),
    wgmma(opcode::wgmma_64x256x16_fp16, "wgmma_64x256x16_fp16", data_type::fp16, 256, opcode::mma_16x8x16_fp16),
    wgmma(opcode::wgmma_64x32x16_bf16, "wgmma_64x32x16_bf16", data_type::bf16, 32, opcode::mma_16x8x16_bf16),
    wgmma(opcode::wgmma_64x64x16_bf16, "wgmma_64x64x16_bf16", data_type::bf16, 64, opcode::mma_16x8x16_bf16),
    wgmma(opcode::wgmma_64x128x16_bf16, "wgmma_64x128x16_bf16", data_type::bf16, 128, opcode::mma_16x8x16_bf16),
    wgmma(opcode::wgmma_64x192x16_bf16, "wgmma_64x192x16_bf16", data_type::bf16, 192, opcode::mma_16x8x16_bf16),
    wgmma(opcode::wgmma_64x256x16_bf16, "wgmma_64x256x16_bf16", data_type::bf16, 256, opcode::mma_16x8x16_bf16),
    // clang-format on
};

template <>
struct enumerators<opcode>
{
    static constexpr const char* type = "opcode";
    static constexpr auto all         = enumerators_of<opcode>(
        matrix_instructions, [](const matrix_instruction& i) { return enumerator<opcode>{i.op, i.name}; });
};

// An operand for `pack` instructions along k, in which each lane holds consecutive k, as LDS gives them at once; the rows that
// a lane holds become its registers. A and B reordered along k alike give the same product.
constexpr distribution packed_operand(const distribution& one, int pack)
{
    const int own  = one.vec.only(1).size() * pack; // of k, in one lane
    distribution d = {.lengths = {one.length(0), one.length(1) * pack},
                      .wave    = {},
                      .lane    = {},
                      .reg     = one.vec.only(0),
                      .vec     = {{own, 1, 1}}};
    int next       = own;
    for(int i = 0; i < one.lane.count; ++i)
    {
        digit lane = one.lane.at[i];
        if(lane.moves_along(1))
        {
            lane.stride = next;
            next *= lane.extent;
        }
        d.lane.push(lane);
    }
    return d;
}

constexpr const matrix_instruction& describe(opcode op)
{
    for(const matrix_instruction& i : matrix_instructions)
        if(i.op == op)
            return i;
    __builtin_unreachable(); // an opcode without a row: the compiler says so, this being constant evaluation
}

} // namespace ck_tile
