// SPDX-License-Identifier: MIT
// gfx942 (CDNA3, MI300): wave64, MFMA at twice the rate of gfx90a, subnormals kept.
#pragma once

#include "ck_tile/targets/target.hpp"

namespace ck_tile
{

inline constexpr target gfx942 = {
    .arch                   = architecture::gfx942,
    .name                   = "gfx942",
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
    .compute_units          = 304,
    .chiplets               = 8,
    .cache_bytes            = 256 << 20,
    .instructions           = {opcode::mfma_32x32x8_fp16, opcode::mfma_16x16x16_fp16, opcode::mfma_4x4x4_16_blocks_fp16,
                               opcode::mfma_32x32x8_bf16, opcode::mfma_16x16x16_bf16, opcode::mfma_4x4x4_16_blocks_bf16,
                               opcode::mfma_32x32x2_fp32, opcode::mfma_16x16x4_fp32},
    .instruction_count      = 8,
};

} // namespace ck_tile
