// SPDX-License-Identifier: MIT
// The shape of a block's matrix product, and the distributions that follow from it and the matrix instruction.
#pragma once

#include "ck_tile/targets/targets.hpp"

namespace ck_tile::gemm
{

// Elements of a block's matrix product.
struct block_tile
{
    int m, n, k;
};

// Waves of a block, along the rows and the columns of the result.
struct wave_grid
{
    int m, n;
};

// C [m, n] += A [m, k] * B [n, k], made by waves_m x waves_n waves with one instruction. Fragments of different waves
// interleave, so that one fragment of every wave is a contiguous strip of C.
struct shape
{
    int m, n, k;
    int waves_m, waves_n;
    opcode instruction;

    constexpr const matrix_instruction& inst() const { return describe(instruction); }
    constexpr int a_rows() const { return inst().m * inst().blocks; }
    constexpr int b_rows() const { return inst().n * inst().blocks; }
    constexpr int row_fragments() const { return m / (waves_m * a_rows()); }
    constexpr int col_fragments() const { return n / (waves_n * inst().n); }
    constexpr int waves() const { return waves_m * waves_n; }
    constexpr int threads() const { return waves() * inst().a.lanes(); }

    // Instructions whose operands a lane takes from consecutive k, so that it reads 16 bytes of LDS at once. A and B are
    // reordered along k alike, which leaves the product as it is.
    constexpr int pack() const
    {
        const int fits = 16 / bytes_of(inst().type) / inst().a.vec.only(1).size();
        return fits > 1 ? fits : 1;
    }

    // Columns of A and B that one load of fragments covers.
    constexpr int slab() const { return inst().k * pack(); }
};

namespace detail
{
constexpr distribution operand(const distribution& one, int rows, int fragments, int pack, digits wave, int stride)
{
    distribution d = packed_operand(one, pack);
    d.lengths[0]   = rows;
    d.wave         = wave;
    d.reg.push({fragments, 0, stride});
    return d;
}
} // namespace detail

// Wave w is wave w / waves_n along m and w % waves_n along n.
constexpr distribution a_fragments(const shape& s)
{
    return detail::operand(s.inst().a, s.m, s.row_fragments(), s.pack(), {{s.waves_n}, {s.waves_m, 0, s.a_rows()}},
                           s.waves_m * s.a_rows());
}

constexpr distribution b_fragments(const shape& s)
{
    return detail::operand(s.inst().b, s.col_fragments() * s.waves_n * s.b_rows(), s.col_fragments(), s.pack(),
                           {{s.waves_n, 0, s.b_rows()}, {s.waves_m}}, s.waves_n * s.b_rows());
}

namespace detail
{
constexpr distribution result(const shape& s, int row_fragments)
{
    const distribution& one = s.inst().c;
    return {.lengths = {row_fragments * s.waves_m * s.a_rows(), s.n},
            .wave    = {{s.waves_n, 1, s.inst().n}, {s.waves_m, 0, s.a_rows()}},
            .lane    = one.lane,
            .reg     = {{row_fragments, 0, s.waves_m * s.a_rows()}, {s.col_fragments(), 1, s.waves_n * s.inst().n}},
            .vec     = one.vec};
}
} // namespace detail

constexpr distribution accumulator(const shape& s) { return detail::result(s, s.row_fragments()); }

// The part of the accumulator that one row fragment of every wave makes: a strip of waves_m * a_rows rows.
constexpr distribution strip(const shape& s) { return detail::result(s, 1); }

// How the threads of a block share a row of `units`: among lanes of a wave, then waves, then registers of each thread.
struct row_share
{
    int lanes, waves, regs;
};

constexpr row_share share_row(const shape& s, int units)
{
    const int lanes = common_divisor(units, s.inst().a.lanes());
    const int waves = common_divisor(units / lanes, s.waves());
    return {lanes, waves, units / (lanes * waves)};
}

// A 16-byte line's worth of rows and columns owned by one thread while an operand [rows, k] goes from memory to LDS.
//   memory  vectors of `vector` elements along the dimension that is contiguous in memory
//   lds     vectors along k
// The two give each thread the same elements: going from one to the other renames registers.
struct transfer
{
    distribution memory;
    distribution lds;
};

// `contiguous`: 0 if the rows lie side by side in memory, 1 if the reduction dimension does.
constexpr transfer make_transfer(const shape& s, int rows, int contiguous, int vector)
{
    const int per_thread = rows * s.k / s.threads();
    const int line       = 16 / bytes_of(s.inst().type);
    const int fast       = per_thread < line ? per_thread : line; // elements along the contiguous dimension
    const row_share row  = share_row(s, (contiguous == 0 ? rows : s.k) / fast);
    const int slow       = per_thread / (fast * row.regs); // along the other one
    const int other      = 1 - contiguous;
    const int down       = s.inst().a.lanes() / row.lanes; // lanes

    // Threads run along the contiguous dimension first.
    const digits lane  = {{row.lanes, contiguous, fast}, {down, other, slow}};
    const digits wave  = {{row.waves, contiguous, fast * row.lanes}, {s.waves() / row.waves, other, slow * down}};
    const digit apart  = {row.regs, contiguous, fast * row.lanes * row.waves};
    const int patch[2] = {contiguous == 0 ? fast : slow, contiguous == 0 ? slow : fast};

    const distribution memory = {.lengths = {rows, s.k},
                                 .wave    = wave,
                                 .lane    = lane,
                                 .reg     = {{fast / vector, contiguous, vector}, apart, {slow, other, 1}},
                                 .vec     = {{vector, contiguous, 1}}};
    const distribution lds    = {.lengths = {rows, s.k},
                                 .wave    = wave,
                                 .lane    = lane,
                                 .reg     = {{patch[0], 0, 1}, apart},
                                 .vec     = {{patch[1], 1, 1}}};
    return {memory, lds};
}

} // namespace ck_tile::gemm
