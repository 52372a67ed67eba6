// SPDX-License-Identifier: MIT
// An instance whose configuration breaks a rule: its instruction belongs to another architecture.
// expect: the architecture must have the matrix instruction, but one is mfma_16x16x16_fp16: choose one of its own
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

using namespace ck_tile;
using namespace ck_tile::grouped_conv_bwd_weight;

constexpr config c = {.arch    = CK_TILE_BROKEN ? architecture::gfx11 : architecture::gfx942,
                      .spatial = 2,
                      .tile    = {.block       = {64, 64, 32},
                                  .waves       = {2, 2},
                                  .instruction = opcode::mfma_16x16x16_fp16,
                                  .pipeline    = gemm::pipeline::double_buffer,
                                  .stages      = 2},
                      .split   = split_k::any_split,
                      .vector  = {1, 1, 1}};
static_assert(bool(check(c)) == bool(CK_TILE_BROKEN));

constexpr int threads = program<c>::threads;
