// SPDX-License-Identifier: MIT
// An instance whose configuration breaks a rule: its instruction belongs to another architecture.
// expect: grouped_conv_bwd_weight: check(config) says which rule is broken
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

using namespace ck_tile;
using namespace ck_tile::grouped_conv_bwd_weight;

constexpr config c = {.arch        = CK_TILE_BROKEN ? architecture::gfx11 : architecture::gfx942,
                      .dtype       = data_type::fp16,
                      .spatial     = 2,
                      .dense       = innermost::channels,
                      .block       = {64, 64, 32},
                      .waves       = {2, 2},
                      .instruction = opcode::mfma_16x16x16_fp16,
                      .pipeline    = gemm::pipeline::double_buffer,
                      .stages      = 2,
                      .epilogue    = gemm::epilogue::through_lds,
                      .split       = split_k::any_split,
                      .vector      = {1, 1, 1}};
static_assert(bool(check(c)) == bool(CK_TILE_BROKEN));

constexpr int threads = program<c>::threads;
