// SPDX-License-Identifier: MIT
// An instance whose configuration breaks a rule: its instruction belongs to another architecture.
// expect: grouped_conv_bwd_weight: check(config) says which rule is broken
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

using namespace ck_tile;
using namespace ck_tile::grouped_conv_bwd_weight;

constexpr config c = {.arch        = CK_TILE_BROKEN ? architecture::gfx11 : architecture::gfx942,
                      .type        = data_type::fp16,
                      .spatial     = 2,
                      .dense       = innermost::channels,
                      .m           = 64,
                      .n           = 64,
                      .k           = 32,
                      .waves_m     = 2,
                      .waves_n     = 2,
                      .instruction = opcode::mfma_16x16x16_fp16,
                      .pipeline    = gemm::pipeline::double_buffer,
                      .vector_out  = 1,
                      .vector_in   = 1,
                      .vector_wei  = 1};
static_assert(bool(check(c)) == bool(CK_TILE_BROKEN));

constexpr int threads = program<c>::threads;
