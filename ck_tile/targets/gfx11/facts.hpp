// SPDX-License-Identifier: MIT
// gfx11 (RDNA3: gfx1100 to gfx1103, gfx115x): wave32, WMMA for fp16 and bf16, plain multiply-adds for fp32.
#pragma once

#include "ck_tile/targets/target.hpp"

namespace ck_tile
{

inline constexpr target gfx11 = {
    .arch                   = architecture::gfx11,
    .name                   = "gfx11",
    .wave                   = 32,
    .lds_bytes              = 65536,
    .lds_banks              = 32,
    .compute_unit_registers = 98304,
    .vgprs                  = 256,
    .max_vector_bytes       = 16,
    .max_block_threads      = 1024,
    .max_cluster            = 1,
    .copy_to_lds            = lds_copy::none,
    .matrix_from_lds        = false,
    .transposed_reads       = false,
    .compares_halves        = false,
    .compute_units          = 96,
    .chiplets               = 1,
    .cache_bytes            = 96 << 20,
    .instructions           = {opcode::wmma_16x16x16_fp16, opcode::wmma_16x16x16_bf16, opcode::fma_4x8x1_fp32},
    .instruction_count      = 3,
};

} // namespace ck_tile
