// SPDX-License-Identifier: MIT
// sm90 (NVIDIA Hopper: H100, H200): warps of 32, tensor cores through wgmma for operands in LDS and mma.sync for fragments.
// fp32 has no matrix instruction of its accuracy (tf32 rounds to 11 bits), so it multiplies plainly.
#pragma once

#include "ck_tile/targets/target.hpp"

namespace ck_tile
{

inline constexpr target sm90 = {
    .arch                   = architecture::sm90,
    .name                   = "sm90",
    .wave                   = 32,
    .lds_bytes              = 232448, // shared memory, all of it dynamic
    .lds_banks              = 32,
    .compute_unit_registers = 65536,
    .vgprs                  = 255,
    .max_vector_bytes       = 16,
    .max_block_threads      = 1024,
    .max_cluster            = 8,
    .copy_to_lds            = lds_copy::bytes_16_async,
    .matrix_from_lds        = true,
    .transposed_reads       = true,
    .compares_halves        = true,
    .compute_units          = 132,
    .chiplets               = 1,
    .cache_bytes            = 50 << 20,
    .instructions           = {opcode::mma_16x8x16_fp16, opcode::mma_16x8x16_bf16, opcode::mma_16x8x8_fp16,
                               opcode::mma_16x8x8_bf16, opcode::wgmma_64x32x16_fp16, opcode::wgmma_64x64x16_fp16,
                               opcode::wgmma_64x128x16_fp16, opcode::wgmma_64x192x16_fp16, opcode::wgmma_64x256x16_fp16,
                               opcode::wgmma_64x32x16_bf16, opcode::wgmma_64x64x16_bf16, opcode::wgmma_64x128x16_bf16,
                               opcode::wgmma_64x192x16_bf16, opcode::wgmma_64x256x16_bf16, opcode::fma_4x8x1_fp32},
    .instruction_count      = 15,
};

} // namespace ck_tile
