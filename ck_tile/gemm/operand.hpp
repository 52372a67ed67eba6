// SPDX-License-Identifier: MIT
// The operands of a matrix product: what a main loop takes as one, how threads share it, and how it lies in LDS.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/targets/block.hpp"

#include <concepts>
#include <type_traits>

namespace ck_tile::gemm
{

// What a main loop multiplies by: a window, or anything else that gives each thread its elements of [rows, k] and moves along
// k, such as one that works them out from something else.
//   element, layout      of the tile that load(operand) gives
//   step<1>(by), move()  `by` elements further along k
//   look_ahead()         if it has one, is called before the steps that need it
template <class Operand>
concept operand = requires(Operand& o, const Operand& here) {
    typename Operand::element;
    { Operand::layout } -> std::convertible_to<distribution>;
    load(here);
    o.move(here.template step<1>(1));
};

// Which thread loads what of an operand [rows, k], in vectors of `vector` elements along the dimension that is contiguous in
// memory: all threads, or those of so many waves that do nothing else. A thread owns a patch: a 16-byte line along that dimension, and as much along the other as there is to share. Of operands that
// stay as they lie with k contiguous, for instructions that take them from LDS, a thread's lines are as far apart as can be: then one
// address and constants lead to all of them, and a wave asks for lines that are neighbours.
constexpr distribution tiled_copy(const shape& s, int rows, majorness major, int vector, int copying_waves = 0)
{
    const int waves = copying_waves > 0 ? copying_waves : s.waves(), lanes = s.fragment().a.lanes();
    if(check(s))
        return {}; // said where the shape enters
    const int contiguous = contiguous_dimension(major), other = 1 - contiguous;
    const int per_thread = rows * s.k / (waves * lanes);
    const int line       = 16 / bytes_of(s.type());
    const int fast       = per_thread < line ? per_thread : line; // elements along the contiguous dimension
    if(fast == 0)
        return {}; // fewer elements than threads
    // Where the threads turn the patch and store it along k, lanes of a wave share the chunks of LDS that are stored in pieces: lanes
    // that store at once then meet different banks.
    const int deep = per_thread / fast;
    const int pieces =
        contiguous == 0 && deep < line ? common_divisor(common_divisor(line / deep, s.k / deep), lanes) : 1;
    const row_share row = share_row((contiguous == 0 ? rows : s.k) / fast, waves, lanes / pieces);
    const int slow      = per_thread / (fast * row.regs); // along the other one
    const int down      = lanes / row.lanes;
    const bool stays    = contiguous == 1 && s.inst().operands == operand_source::lds;
    const int thread_at = stays ? 1 : slow, next = stays ? waves / row.waves * down : 1;

    // Threads run along the contiguous dimension first, over 128 bytes of it, then over the other one.
    const int line_lanes = common_divisor(row.lanes, 8);
    return {.lengths = {rows, s.k},
            .wave    = {{row.waves, contiguous, fast * row.lanes}, {waves / row.waves, other, thread_at * down}},
            .lane    = {{line_lanes, contiguous, fast},
                        {down, other, thread_at},
                        {row.lanes / line_lanes, contiguous, fast * line_lanes}},
            .reg     = {{fast / vector, contiguous, vector},
                        {row.regs, contiguous, fast * row.lanes * row.waves},
                        {slow, other, next}},
            .vec     = {{vector, contiguous, 1}}};
}

// The same elements in each thread, in vectors along k: going from one to the other renames registers.
constexpr distribution along_k(const distribution& loaded)
{
    digits rows, k; // of a thread's elements, those next to each other in one digit
    const auto join = [](digits& to, const digit& next) {
        if(to.count > 0 && to.at[to.count - 1].stride * to.at[to.count - 1].extent == next.stride)
            to.at[to.count - 1].extent *= next.extent;
        else
            to.push(next);
    };
    for(const digits* level : {&loaded.vec, &loaded.reg})
        for(int i = 0; i < level->count; ++i)
            join(level->at[i].dim == 1 ? k : rows, level->at[i]);
    distribution d = loaded;
    d.reg          = rows;
    d.vec          = {};
    for(int i = 0; i < k.count; ++i)
        (k.at[i].stride == 1 ? d.vec : d.reg).push(k.at[i]);
    return d;
}

// How an operand comes to LDS: which dimension is contiguous there, and who stores it.
struct operand_store
{
    majorness major;
    distribution writer;
};

// How an operand [rows, k] lies in LDS, of which a wave reads `fragment`: as Hopper reads it there, or so that neither what stores
// it nor what reads fragments along k has conflicts of banks.
template <opcode Op, operand_store From>
constexpr auto operand_layout(int rows, int k, const distribution& fragment)
{
    constexpr const matrix_instruction& i = describe(Op);
    static_assert(From.major == majorness::k || i.takes_mn_major,
                  "operand_layout: the instruction takes operands whose k is contiguous in LDS");
    if constexpr(i.operands == operand_source::lds)
        return swizzled_128b<From.major>{rows, k};
    else
        return free_of_conflicts(rows, k, bytes_of(i.type), From.writer, fragment);
}

// Its elements, those between rows included.
constexpr int operand_elements(opcode op, int rows, int k)
{
    const matrix_instruction& i = describe(op);
    return i.operands == operand_source::lds ? rows * k
                                             : free_of_conflicts(rows, k, bytes_of(i.type), {}, {}).elements();
}

// Both operands of one step.
constexpr int operand_bytes(const shape& s)
{
    return (operand_elements(s.instruction, s.m, s.k) + operand_elements(s.instruction, s.n * s.inst().blocks, s.k)) *
           bytes_of(s.type());
}

// 4-byte registers of a lane that hold the fragments of one load.
constexpr int fragment_registers(const shape& s)
{
    const auto registers = [&](const distribution& d) { return d.regs() * d.vecs() * bytes_of(s.type()) / 4; };
    return registers(a_fragments(s)) + registers(b_fragments(s));
}

// Both operands of one step in LDS, at `byte_offset`.
template <shape S, operand_store A, operand_store B>
struct stage
{
    using element = element_t<S.type()>;
    lds_tile<element, operand_layout<S.instruction, A>(S.m, S.k, a_fragments(S))> a;
    lds_tile<element, operand_layout<S.instruction, B>(S.n* S.inst().blocks, S.k, b_fragments(S))> b;

    CK_TILE_FN stage(const block& in, int byte_offset)
        : a{in.lds_at<element>(byte_offset)}, b{in.lds_at<element>(byte_offset + decltype(a)::bytes)}
    {
    }
};

} // namespace ck_tile::gemm
