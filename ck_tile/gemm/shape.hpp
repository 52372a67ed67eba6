// SPDX-License-Identifier: MIT
// The shape of a block's matrix product, what makes one legal, and the distributions that follow from it and its instruction.
#pragma once

#include "ck_tile/numeric/violation.hpp"
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
    // What one wave holds of it: the instruction itself, or the one whose layouts its share has.
    constexpr const matrix_instruction& fragment() const { return describe(inst().fragment()); }
    constexpr int a_rows() const { return fragment().m * fragment().blocks; }
    constexpr int b_rows() const { return fragment().n * fragment().blocks; }
    constexpr int row_fragments() const { return m / (waves_m * a_rows()); }
    constexpr int col_fragments() const { return n / (waves_n * fragment().n); }
    constexpr int waves() const { return waves_m * waves_n; }
    constexpr int threads() const { return waves() * fragment().a.lanes(); }
    constexpr data_type type() const { return inst().type; }
    constexpr int accumulators() const { return m * n / threads(); } // of a lane

    // Instructions whose operands a lane takes from consecutive k, so that it reads 16 bytes of LDS at once. A and B are
    // reordered along k alike, which leaves the product as it is.
    constexpr int pack() const
    {
        const int fits = 16 / bytes_of(type()) / fragment().a.vec.only(1).size();
        return fits > 1 ? fits : 1;
    }

    // Columns of A and B that one load of fragments covers.
    constexpr int k_pack() const { return fragment().k * pack(); }
};

// The numbers of a shape, so that products of a few of them fit 32 bits.
constexpr violation check_numbers(const shape& s)
{
    constexpr int most = 1024;
    for(const int number : {s.m, s.n, s.k, s.waves_m, s.waves_n})
        if(number < 1)
            return {"block and waves must be positive", number, "choose 1 or more"};
        else if(number > most)
            return {"block and waves must be 1024 at most", number, "choose smaller ones"};
    return {};
}

// What every shape must be, whatever it is used for.
constexpr violation check(const shape& s)
{
    const matrix_instruction &i = s.inst(), &wave = s.fragment();
    if(const violation v = check_numbers(s))
        return v;
    if(i.operands == operand_source::lds)
    {
        if(s.waves_m % i.waves != 0 || s.waves_n != 1)
            return {"an instruction of several waves gives each of them rows and all columns", s.waves_m,
                    "use waves.m that is a multiple of the instruction's waves, and waves.n = 1"};
        if(s.n != i.n)
            return {"block.n must be the width of an instruction that takes operands from LDS", s.n,
                    "choose the instruction of that width"};
    }
    if(s.m % (s.waves_m * s.a_rows()) != 0)
        return {"block.m must be a multiple of waves.m * instruction m", s.m, "enlarge block.m or use fewer waves"};
    if(s.n % (s.waves_n * wave.n) != 0)
        return {"block.n must be a multiple of waves.n * instruction n", s.n, "enlarge block.n or use fewer waves"};
    if(s.k % s.k_pack() != 0)
        return {"block.k must be a multiple of the depth of one load of fragments", s.k,
                "use a multiple of gemm::shape::k_pack()"};
    return {};
}

// And what it must be for a target.
constexpr violation check(const shape& s, const target& t)
{
    if(!t.has(s.instruction))
        return {"the architecture must have the matrix instruction", s.inst().name, "choose one of its own"};
    if(const violation v = check_numbers(s))
        return v;
    if(s.threads() > t.max_block_threads)
        return {"waves.m * waves.n * wave must be within the threads of a block", s.threads(), "use fewer waves"};
    if(const violation v = check(s))
        return v;
    const int nameable = 256; // registers, by one instruction; the other half of 512 can hold accumulators alone
    if(const int most = t.vgprs * 3 / 4 < nameable ? t.vgprs * 3 / 4 : nameable; s.accumulators() > most)
        return {"accumulators must be 256 at most, and leave a quarter of the registers", s.accumulators(),
                "use more waves"};
    return {};
}

// Says which rule a shape breaks, once, wherever it enters a kernel: what every shape must be, and in a GPU's compilation what
// that target asks.
template <shape S>
struct legal_shape
{
    static constexpr violation broken = on_device ? check(S, compiled_target()) : check(S);
    CK_TILE_REJECT(broken);
    static constexpr bool value = !broken;
};

namespace detail
{
constexpr distribution fragments(const distribution& one, int rows, int fragments, int pack, digits wave, int stride)
{
    distribution d = packed_operand(one, pack);
    d.lengths[0]   = rows;
    d.wave         = wave;
    d.reg.push({fragments, 0, stride});
    return d;
}
} // namespace detail

// Wave w is wave w / waves_n along m and w % waves_n along n. Of an illegal shape the distributions are those of one number,
// so that what a compiler says of it is legal_shape's sentence alone.
constexpr distribution a_fragments(const shape& s)
{
    if(check(s))
        return {};
    return detail::fragments(s.fragment().a, s.m, s.row_fragments(), s.pack(),
                             {{s.waves_n}, {s.waves_m, 0, s.a_rows()}}, s.waves_m * s.a_rows());
}

// All of A [m, k] in registers, as the instruction takes it from there: fragments, one step of k after the other.
constexpr distribution a_registers(const shape& s)
{
    if(check(s))
        return {};
    distribution d = a_fragments(s);
    if(s.inst().operands == operand_source::lds)
    {
        const distribution& one = s.fragment().a;
        d = {.lengths = {s.m, one.lengths[1]}, .wave = d.wave, .lane = one.lane, .reg = {}, .vec = one.vec};
        d.reg.push({s.row_fragments(), 0, s.waves_m * s.a_rows()});
    }
    d.reg.push({s.k / d.lengths[1], 1, d.lengths[1]});
    d.lengths[1] = s.k;
    return d;
}

constexpr distribution b_fragments(const shape& s)
{
    if(check(s))
        return {};
    return detail::fragments(s.fragment().b, s.col_fragments() * s.waves_n * s.b_rows(), s.col_fragments(), s.pack(),
                             {{s.waves_n, 0, s.b_rows()}, {s.waves_m}}, s.waves_n * s.b_rows());
}

namespace detail
{
constexpr distribution result(const shape& s, int row_fragments)
{
    const distribution& one = s.fragment().c;
    return {.lengths = {row_fragments * s.waves_m * s.a_rows(), s.n},
            .wave    = {{s.waves_n, 1, s.fragment().n}, {s.waves_m, 0, s.a_rows()}},
            .lane    = one.lane,
            .reg     = {{row_fragments, 0, s.waves_m * s.a_rows()}, {s.col_fragments(), 1, s.waves_n * s.fragment().n}},
            .vec     = one.vec};
}
} // namespace detail

constexpr distribution accumulator(const shape& s)
{
    return check(s) ? distribution{} : detail::result(s, s.row_fragments());
}

// The part of the accumulator that one row fragment of every wave makes: a strip of waves_m * a_rows rows.
constexpr distribution strip(const shape& s) { return check(s) ? distribution{} : detail::result(s, 1); }

// How the threads of a block share a row of `chunks`: among lanes of a wave, `most` at most, then waves, then registers of each
// thread.
struct row_share
{
    int lanes, waves, regs;
};

constexpr row_share share_row(int chunks, int waves, int most)
{
    const int lanes = common_divisor(chunks, most), shared = common_divisor(chunks / lanes, waves);
    return {lanes, shared, chunks / (lanes * shared)};
}
constexpr row_share share_row(const shape& s, int chunks)
{
    return share_row(chunks, s.waves(), s.fragment().a.lanes());
}

} // namespace ck_tile::gemm
