// SPDX-License-Identifier: MIT
// What the verb mma asks of the architecture that this compilation is for, beside the table of instructions.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile
{

// Fragments of a wave's part of C, of A along the rows and of B along the columns.
struct fragment_range
{
    int first_row, rows, first_col, cols;
};

} // namespace ck_tile

#include CK_TILE_TARGET_HEADER(matrix.hpp)

// Each architecture's matrix.hpp defines, in namespace ck_tile::detail,
//   multiply_files<Op, RowFragments, ColFragments, Pack, Waves, fragment_range>(acc, a, b)
//                                     acc += A * B of fragments by all waves of the block, those in the range: register files
//                                     of one thread on a GPU, of all threads on the CPU
//   place_accumulators<Registers>(file)
//                                     keeps accumulators in the registers that suit the instruction
//   same_in_wave(x)                 x, which all threads of a wave have, known as such to the compiler
//   multiply_from_lds<Op, ALayout, BLayout, Depth, Fragments, RowsApart>(acc, a, b)
//                                     starts the product of operands in LDS, the first Depth columns of k: accumulators, those of fragments in turn, first
//                                     row of A, first row of B; the fragments' rows of A are so far apart
//   multiply_rows_from_lds<Op, ALayout, BLayout, Depth, Fragments>(acc, a, beyond, next_group, b, number)
//                                     the same of rows of A of 64 or 128 bytes that lie anywhere in LDS, in groups of eight so many rows apart, from so many
//                                     rows behind `a` on, and of the `number`th of operands B that lie one after the other
//   multiply_b_from_lds<Op, BLayout, Depth, Fragments>(acc, a, b)
//                                     the same of A in registers
//   wait_for_products<Pending>()      waits for all but the last ones started
