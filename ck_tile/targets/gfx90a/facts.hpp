// SPDX-License-Identifier: MIT
// gfx90a (CDNA2, MI200): wave64, MFMA. Its fp16 and bf16 MFMA flush subnormal inputs to zero.
#pragma once

#include "ck_tile/targets/target.hpp"

namespace ck_tile
{

inline constexpr target gfx90a = {
    .arch                   = architecture::gfx90a,
    .name                   = "gfx90a",
    .wave                   = 64,
    .lds_bytes              = 65536,
    .lds_banks              = 32,
    .compute_unit_registers = 131072,
    .vgprs                  = 512,
    .max_vector_bytes       = 16,
    .max_block_threads      = 1024,
    .max_cluster            = 1,
    .copy_to_lds            = lds_copy::bytes_4,
    .matrix_from_lds        = false,
    .transposed_reads       = false,
    .compares_halves        = false,
    .compute_units          = 104,
    .chiplets               = 1,
    .cache_bytes            = 8 << 20,
    .instructions           = {opcode::mfma_32x32x8_fp16, opcode::mfma_16x16x16_fp16, opcode::mfma_4x4x4_16_blocks_fp16,
                               opcode::mfma_32x32x8_bf16, opcode::mfma_16x16x16_bf16, opcode::mfma_4x4x4_16_blocks_bf16,
                               opcode::mfma_32x32x2_fp32, opcode::mfma_16x16x4_fp32},
    .instruction_count      = 8,
};

} // namespace ck_tile
