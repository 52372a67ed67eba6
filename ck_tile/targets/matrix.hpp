// SPDX-License-Identifier: MIT
// What the verb mma asks of the architecture that this compilation is for, beside the table of instructions.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

#include CK_TILE_TARGET_HEADER(matrix.hpp)

// Each architecture's matrix.hpp defines, in namespace ck_tile::detail,
//   multiply_files<Op, RowFragments, ColFragments, Pack, Waves>(acc, a, b)
//                                     acc += A * B of fragments by all waves of the block: register files of one thread on a
//                                     GPU, of all threads on the CPU
//   place_accumulators<Registers>(file)
//                                     keeps accumulators in the registers that suit the instruction
//   multiplies_slabs                  whether a group of waves can multiply operands that lie in slabs of LDS
//   multiply_slabs<Op, N, K>(acc, a, b, a_lines, b_lines)
//                                     starts that: accumulators, the 64 rows of A, the rows of B, lines of a slab of A, of B
//   wait_for_slabs<Pending>()         waits for all but the last ones started
