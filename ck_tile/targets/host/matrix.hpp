// SPDX-License-Identifier: MIT
// The matrix instructions on the CPU: the product of a wave's fragments, read and written in the lanes' layouts.
//
// In the layouts of the table a lane's part of C is a few rows times one column, or two. So the CPU keeps C where the lanes
// hold it and adds, per lane and k, a vector of A's rows times one number of B: a number for each element of C in the lane.
#pragma once

#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/absent/matrix_from_lds.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

template <opcode Op>
struct wave_layout
{
    static constexpr matrix_instruction instruction = describe(Op);
    static constexpr int lanes                      = instruction.c.lanes();
    static constexpr int per_lane                   = instruction.c.vecs(); // elements of C in one lane
    static constexpr int columns                    = instruction.c.vec.only(1).size();
    static constexpr int b_rows                     = instruction.n * instruction.blocks;

    static constexpr int rows = instruction.m * instruction.blocks; // of A and C

    // Lanes with the same rows of C are a group; each row has a place in the lanes of its group, in each of their columns.
    int groups = 0;
    int lane_group[lanes], lane_b_row[lanes]; // and the first row of B that a lane meets
    int b_row_of[per_lane];                   // of each element in the lane, from that row on
    int group[rows], slot[rows][columns];

    constexpr wave_layout() : lane_group(), lane_b_row(), b_row_of(), group(), slot()
    {
        for(int v = 0; v < per_lane; ++v)
            b_row_of[v] = instruction.c.vec.along(1, v);

        int first_row[rows] = {};
        for(int lane = 0; lane < lanes; ++lane)
        {
            const int row = instruction.c.lane.along(0, lane);
            int g         = 0;
            while(g < groups && first_row[g] != row)
                ++g;
            if(g == groups)
                first_row[groups++] = row;
            lane_group[lane] = g;
            lane_b_row[lane] = row / instruction.m * instruction.n + instruction.c.lane.along(1, lane);
            for(int v = 0; v < per_lane; ++v)
            {
                const int of_v                                = row + instruction.c.vec.along(0, v);
                group[of_v]                                   = g;
                slot[of_v][instruction.c.vec.number_in(1, v)] = v;
            }
        }
    }
};

template <opcode Op>
inline constexpr wave_layout<Op> wave_layout_of{};

template <int Registers, class File>
void pin_accumulators(File&)
{
}

// acc += A * B for one wave, whose lanes' register files are acc[lane], a[lane] and b[lane].
template <opcode Op, int RowFragments, int ColFragments, int Pack, class AccFile, class AFile, class BFile>
void multiply_wave(AccFile* acc, const AFile* a, const BFile* b)
{
    constexpr const auto& layout             = wave_layout_of<Op>;
    constexpr const matrix_instruction& inst = layout.instruction;
    constexpr int per_lane = layout.per_lane, wide = RowFragments * per_lane, depth = inst.k * Pack;
    using column = vector<float, wide>;

    static thread_local float a_memory[depth][layout.groups][wide], b_memory[depth][ColFragments][layout.b_rows];
    auto& rows_of_a   = a_memory;
    auto& rows_of_b   = b_memory;
    const auto unpack = []<distribution Operand>(const auto* files, int fragments, auto&& put) {
        for(int lane = 0; lane < layout.lanes; ++lane)
        {
            const int row = Operand.lane.along(0, lane), k = Operand.lane.along(1, lane);
            static_for<Operand.regs()>([&](auto r) {
                constexpr int row_of_r = Operand.reg.along(0, r);
                for(int f = 0; f < fragments; ++f)
                    for(int v = 0; v < Operand.vecs(); ++v)
                        put(f, row + row_of_r, k + v, convert<float>(files[lane].get(r + Operand.regs() * f, v)));
            });
        }
    };
    unpack.template operator()<packed_operand(inst.a, Pack)>(a, RowFragments, [&](int f, int row, int k, float x) {
        for(int slot : layout.slot[row])
            rows_of_a[k][layout.group[row]][f * per_lane + slot] = x;
    });
    unpack.template operator()<packed_operand(inst.b, Pack)>(
        b, ColFragments, [&](int f, int row, int k, float x) { rows_of_b[k][f][row] = x; });

    // Lanes with several columns: the numbers of B that they meet alternate.
    const auto of_b = [&](int k, int j, int b_row) {
        if constexpr(layout.columns == 1)
            return column(rows_of_b[k][j][b_row]);
        else
        {
            column x;
            CK_TILE_UNROLL
            for(int v = 0; v < wide; ++v)
                x[v] = rows_of_b[k][j][b_row + layout.b_row_of[v % per_lane]];
            return x;
        }
    };

    // As many fragments as the registers of the CPU hold sums for, and no part of them is left over.
    constexpr int at_once = [] {
        int fragments = ColFragments;
        while(fragments > 1 && (fragments * wide > 128 || ColFragments % fragments != 0))
            --fragments;
        return fragments;
    }();
    // A vector of 24 numbers has the size of 32: only the numbers are copied.
    constexpr int bytes = wide * static_cast<int>(sizeof(float));
    for(int lane = 0; lane < layout.lanes; ++lane)
    {
        const int group = layout.lane_group[lane], b_row = layout.lane_b_row[lane];
        for(int j = 0; j < ColFragments; j += at_once)
        {
            column sum[at_once];
            for(int f = 0; f < at_once; ++f)
                __builtin_memcpy(&sum[f], &acc[lane].reg[RowFragments * (j + f)], bytes);
            for(int k = 0; k < depth; ++k)
            {
                column x;
                __builtin_memcpy(&x, rows_of_a[k][group], bytes);
                for(int f = 0; f < at_once; ++f)
                    sum[f] = __builtin_elementwise_fma(x, of_b(k, j + f, b_row), sum[f]);
            }
            for(int f = 0; f < at_once; ++f)
                __builtin_memcpy(&acc[lane].reg[RowFragments * (j + f)], &sum[f], bytes);
        }
    }
}

// The same for all waves of the block. Of ranges of fragments the last one does it all.
template <opcode Op, int RowFragments, int ColFragments, int Pack, int Waves, fragment_range Of, class AccFile,
          class AFile, class BFile>
void multiply_files([[maybe_unused]] AccFile* acc, [[maybe_unused]] const AFile* a, [[maybe_unused]] const BFile* b)
{
    if constexpr(Of.first_row + Of.rows < RowFragments || Of.first_col + Of.cols < ColFragments)
        return;
    constexpr int lanes = wave_layout<Op>::lanes;
    for(int wave = 0; wave < Waves; ++wave)
        multiply_wave<Op, RowFragments, ColFragments, Pack>(acc + wave * lanes, a + wave * lanes, b + wave * lanes);
}

} // namespace ck_tile::detail
