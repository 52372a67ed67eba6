// SPDX-License-Identifier: MIT
// gfx950 (CDNA4, MI350): what gfx942 has, MFMA of twice the depth for fp16 and bf16, and 160 KB of LDS.
#pragma once

#include "ck_tile/targets/target.hpp"

namespace ck_tile
{

inline constexpr target gfx950 = {
    .arch                   = architecture::gfx950,
    .name                   = "gfx950",
    .wave                   = 64,
    .lds_bytes              = 163840,
    .lds_banks              = 64,
    .compute_unit_registers = 131072,
    .vgprs                  = 512,
    .max_vector_bytes       = 16,
    .max_block_threads      = 1024,
    .max_cluster            = 1,
    .copy_to_lds            = lds_copy::bytes_16_async,
    .matrix_from_lds        = false,
    .transposed_reads       = true, // ds_read_b64_tr_b16
    .compares_halves        = false,
    .compute_units          = 256,
    .chiplets               = 8,
    .cache_bytes            = 256 << 20,
    .instructions      = {opcode::mfma_32x32x16_fp16, opcode::mfma_16x16x32_fp16, opcode::mfma_32x32x8_fp16,
                          opcode::mfma_16x16x16_fp16, opcode::mfma_4x4x4_16_blocks_fp16, opcode::mfma_32x32x16_bf16,
                          opcode::mfma_16x16x32_bf16, opcode::mfma_32x32x8_bf16, opcode::mfma_16x16x16_bf16,
                          opcode::mfma_4x4x4_16_blocks_bf16, opcode::mfma_32x32x2_fp32, opcode::mfma_16x16x4_fp32},
    .instruction_count = 12,
};

} // namespace ck_tile
