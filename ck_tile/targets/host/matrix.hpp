// SPDX-License-Identifier: MIT
// The matrix instructions on the CPU: the product of a wave's fragments, read and written in the lanes' layouts.
//
// In the layouts of the table a lane's part of C is one column (that its lane number decides) and several rows. So the CPU
// keeps C where the lanes hold it and adds, per lane and k, a vector of A's rows times one number of B.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile::detail
{

template <opcode Op>
struct wave_layout
{
    static constexpr matrix_instruction instruction = describe(Op);
    static constexpr int lanes                      = instruction.c.lanes();
    static constexpr int rows                       = instruction.m * instruction.blocks; // of A and C
    static constexpr int b_rows                     = instruction.n * instruction.blocks;
    static constexpr int per_lane                   = instruction.c.vecs(); // rows of C in one lane
    static constexpr int groups                     = rows / per_lane;      // lanes with different rows
    static_assert(instruction.c.vec.only(1).count == 0, "host: a lane's registers of C must lie in one column");

    // The group of lanes that holds a row of C, and the row's place there.
    int group[rows], slot[rows];
    int lane_group[lanes], lane_b_row[lanes];

    constexpr wave_layout() : group(), slot(), lane_group(), lane_b_row()
    {
        int first_row[groups] = {}, known = 0;
        for(int lane = 0; lane < lanes; ++lane)
        {
            const int row = instruction.c.lane.along(0, lane);
            int g         = 0;
            while(g < known && first_row[g] != row)
                ++g;
            if(g == known)
                first_row[known++] = row;
            lane_group[lane] = g;
            for(int v = 0; v < per_lane; ++v)
            {
                group[row + instruction.c.vec.along(0, v)] = g;
                slot[row + instruction.c.vec.along(0, v)]  = v;
            }
            lane_b_row[lane] = row / instruction.m * instruction.n + instruction.c.lane.along(1, lane);
        }
    }
};

template <opcode Op>
inline constexpr wave_layout<Op> wave_layout_of{};

// acc += A * B for one wave, whose lanes' register files are acc[lane], a[lane] and b[lane].
template <opcode Op, int RowFragments, int ColFragments, int Pack, class AccFile, class AFile, class BFile>
void multiply_wave(AccFile* acc, const AFile* a, const BFile* b)
{
    constexpr const auto& layout             = wave_layout_of<Op>;
    constexpr const matrix_instruction& inst = layout.instruction;
    constexpr int vecs                       = inst.a.vecs();
    constexpr int depth                      = inst.k * Pack;
    constexpr int wide                       = RowFragments * layout.per_lane;
    using column                             = vector<float, wide>;

    static thread_local float rows_of_a[depth][layout.groups][wide];
    static thread_local float rows_of_b[depth][ColFragments][layout.b_rows];
    const auto unpack = [](const distribution& operand, const auto* files, int fragments, auto&& put) {
        for(int lane = 0; lane < layout.lanes; ++lane)
        {
            const int row = operand.lane.along(0, lane), k = operand.lane.along(1, lane) * Pack;
            for(int f = 0; f < fragments; ++f)
                for(int v = 0; v < vecs * Pack; ++v)
                    put(f, row, k + v, convert<float>(files[lane].get(f, v)));
        }
    };
    unpack(inst.a, a, RowFragments, [](int f, int row, int k, float x) {
        rows_of_a[k][layout.group[row]][f * layout.per_lane + layout.slot[row]] = x;
    });
    unpack(inst.b, b, ColFragments, [](int f, int row, int k, float x) { rows_of_b[k][f][row] = x; });

    constexpr int at_once = wide >= 128 || ColFragments == 1 ? 1
                            : ColFragments * wide <= 128     ? ColFragments
                                                             : 128 / wide;
    for(int lane = 0; lane < layout.lanes; ++lane)
    {
        const int group = layout.lane_group[lane], row = layout.lane_b_row[lane];
        for(int j = 0; j < ColFragments; j += at_once)
        {
            column sum[at_once];
            __builtin_memcpy(sum, &acc[lane].reg[RowFragments * j], sizeof sum);
            for(int k = 0; k < depth; ++k)
            {
                column x;
                __builtin_memcpy(&x, rows_of_a[k][group], sizeof x);
                for(int f = 0; f < at_once; ++f)
                    sum[f] = __builtin_elementwise_fma(x, column(rows_of_b[k][j + f][row]), sum[f]);
            }
            __builtin_memcpy(&acc[lane].reg[RowFragments * j], sum, sizeof sum);
        }
    }
}

} // namespace ck_tile::detail
