// SPDX-License-Identifier: MIT
// check(config) is sufficient: a configuration that it accepts has distributions that cover, and fits its architecture.
#include "ops/grouped_conv_bwd_weight/config.hpp"

#include "ops/grouped_conv_bwd_weight/describe.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "tests/support/gemm_shapes.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

config random_config(random_numbers& random)
{
    const auto among = [&](std::initializer_list<int> values) {
        return values.begin()[random.between(0, static_cast<int>(values.size()) - 1)];
    };
    const target& arch = *all_targets[random.between(0, int(std::size(all_targets)) - 1)];
    config c           = {};
    c.arch             = arch.arch;
    c.tile.instruction = arch.instructions[random.between(0, arch.instruction_count - 1)];
    c.spatial          = random.between(1, 3);
    c.tile.block.m     = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.tile.block.n     = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.tile.block.k     = among({8, 16, 24, 32, 48, 64, 96, 128});
    c.tile.waves.m     = among({1, 1, 2, 3, 4, 8});
    c.tile.waves.n     = among({1, 1, 2, 3, 4});
    c.tile.pipeline    = static_cast<gemm::pipeline>(random.between(0, 3));
    c.tile.stages      = random.between(1, 4);
    c.tile.epilogue    = static_cast<gemm::epilogue>(random.between(0, 2));
    c.split            = static_cast<split_k>(random.between(0, 1));
    c.vector.out       = among({1, 2, 4, 8});
    c.vector.in        = among({1, 2, 4, 8});
    c.vector.wei       = among({1, 2, 4, 8});
    return c;
}

TEST(Config, WhatCheckAcceptsCanBeBuilt)
{
    random_numbers random(60);
    int accepted = 0, broken = 0;
    for(int i = 0; i < 250000 && broken < 5; ++i)
    {
        const config c = random_config(random);
        if(check(c))
            continue;
        ++accepted;
        const gemm::shape s                                 = c.tile.shape();
        const std::pair<const char*, distribution> needed[] = {
            {"dY from memory", c.out_copy()},
            {"dY to LDS", gemm::along_k(c.out_copy())},
            {"X from memory", c.in_copy()},
            {"X to LDS", gemm::along_k(c.in_copy())},
            {"fragments of A", gemm::a_fragments(s)},
            {"fragments of B", gemm::b_fragments(s)},
            {"accumulator", gemm::accumulator(s)},
            {"rows of the result", c.tile.epilogue == gemm::epilogue::direct ? in_vectors(gemm::accumulator(s), 1)
                                   : c.tile.epilogue == gemm::epilogue::by_wave
                                       ? gemm::detail::lines_as_vectors(s, 4, false)
                                       : gemm::detail::rows_at_once(s, c.vector.wei)}};
        for(const auto& [context, d] : needed)
            if(!d.covers() ||
               d.threads() != (context[0] == 'd' || context[0] == 'X' ? c.tile.copying_threads() : s.threads()))
            {
                ++broken;
                ADD_FAILURE() << "check accepts " << reflect::print(c) << ", but " << context
                              << " does not cover the tile";
                break;
            }
        EXPECT_LE(c.lds_bytes(), facts(c.arch).lds_bytes);
        EXPECT_LE(c.tile.threads(), facts(c.arch).max_block_threads);
    }
    EXPECT_GT(accepted, 300);
}

// Each rule, broken alone.
TEST(Config, RejectionsSayRuleValueAndFix)
{
    using enum gemm::pipeline;
    // clang-format off
    constexpr config good  = {architecture::gfx942, 2,
                              {{128, 128, 32}, {1, 2}, opcode::mfma_16x16x16_fp16, single_buffer, 1}, split_k::any_split, {8, 8, 8}};
    constexpr config async = {architecture::sm90, 2,
                              {{128, 256, 64}, {8, 1}, opcode::wgmma_64x256x16_fp16, wave_specialized, 4, gemm::epilogue::by_wave}, split_k::any_split, {8, 8, 8}};
    constexpr config wmma  = {architecture::gfx11, 2,
                              {{128, 128, 32}, {2, 2}, opcode::wmma_16x16x16_fp16, single_buffer, 1}, split_k::any_split, {8, 8, 8}};
    // clang-format on
    ASSERT_FALSE(check(good)) << check(good).rule;
    ASSERT_FALSE(check(async)) << check(async).rule;
    ASSERT_FALSE(check(wmma)) << check(wmma).rule;

    const auto expect = [](config c, auto&& change, const std::string& rule, const auto& value,
                           const std::string& fix) {
        change(c);
        const violation v = check(c);
        ASSERT_TRUE(v) << rule << " is not checked";
        EXPECT_EQ(reflect::describe(v), fmt::format("{}, but one is {}: {}", rule, value, fix));
    };
    const auto tile = [](int m, int n, int k, int waves_m, int waves_n) {
        return [=](config& c) { c.tile.block = {m, n, k}, c.tile.waves = {waves_m, waves_n}; };
    };
    // clang-format off
    expect(good, [](config& c) { c.spatial = 4; }, "spatial dimensions must be 1, 2 or 3, or 0 of pointwise convolutions", 4, "choose one of them");
    expect(good, [](config& c) { c.tile.instruction = opcode::mfma_4x4x4_16_blocks_fp16; },
           "an implicit GEMM needs an instruction of one block", 16, "choose one with blocks = 1");
    expect(async, [](config& c) { c.tile.epilogue = gemm::epilogue::through_lds; },
           "a block that makes many tiles has the operands of the next one in LDS while it stores one", "through_lds",
           "use by_wave or direct");
    expect(good, tile(192, 192, 32, 1, 3), "the threads must share the positions of a lookup table evenly", 256,
           "use a power of two of waves");
    expect(async, [](config& c) { c.tile.block = {64, 128, 64}, c.tile.waves = {4, 1}, c.tile.stages = 4,
                                  c.tile.instruction = opcode::wgmma_64x128x16_fp16, c.tile.pipeline = async_stages; },
           "fewer steps must be copied ahead than a lookup table tells at once", 4, "use fewer stages or a smaller block.k");
    // The matrix product's rules:
    expect(good, [](config& c) { c.tile.instruction = opcode::wmma_16x16x16_fp16; }, "the architecture must have the matrix instruction",
           "wmma_16x16x16_fp16", "choose one of its own");
    expect(good, tile(128, 128, 32, 0, 2), "block and waves must be positive", 0, "choose 1 or more");
    expect(good, tile(128, 128, 32, 4, 8), "waves.m * waves.n * wave must be within the threads of a block", 2048, "use fewer waves");
    expect(good, tile(24, 128, 32, 1, 2), "block.m must be a multiple of waves.m * instruction m", 24, "enlarge block.m or use fewer waves");
    expect(good, tile(128, 24, 32, 1, 2), "block.n must be a multiple of waves.n * instruction n", 24, "enlarge block.n or use fewer waves");
    expect(good, tile(128, 128, 24, 1, 2), "block.k must be a multiple of the depth of one load of fragments", 24,
           "use a multiple of gemm::shape::k_pack()");
    expect(good, tile(16, 48, 32, 1, 3), "the threads must share block.m * k and block.n * k evenly", 192, "enlarge the tile or use fewer waves");
    expect(good, tile(48, 128, 32, 1, 2), "a thread's part of an operand must be whole lines", 12, "use powers of two");
    expect(good, tile(1024, 16, 32, 1, 1), "a thread's part of an operand must fit the tile", 512, "use more waves");
    expect(good, [](config& c) { c.vector.in = 3; }, "vector widths must be powers of two of at most 16 bytes", 3, "use 1, 2, 4 or 8");
    expect(good, tile(16, 128, 32, 1, 4), "a vector must not be wider than a thread's part of the operand", 8, "use a narrower vector");
    expect(good, [](config& c) { c.tile.epilogue = gemm::epilogue::direct; }, "the direct epilogue writes one element at a time", 8,
           "use a vector of 1 or through_lds");
    expect(good, [](config& c) { c.tile.epilogue = gemm::epilogue::by_wave; },
           "each wave must have rows alone, of whole lines of 128 bytes, to store them by itself", "mfma_16x16x16_fp16",
           "use through_lds, or waves.n = 1 and a block.n that is a multiple of 64 or divides it");
    expect(async, [](config& c) { c.vector.wei = 4; }, "an epilogue by wave writes 16 bytes at once", 4,
           "use vectors of 16 bytes, or direct");
    expect(good, tile(128, 32, 32, 1, 2),
           "threads must hold whole rows of the result, and strips of it whole turns of the threads", 8,
           "use another vector or number of waves");
    expect(good, [](config& c) { c.tile.block = {256, 256, 64}, c.tile.waves.m = 2, c.tile.pipeline = double_buffer, c.tile.stages = 2; },
           "LDS of the main loop and the epilogue must fit the block's", 131072, "shrink the tile or use single_buffer");
    expect(good, tile(512, 256, 32, 2, 2), "accumulators must be 256 at most, and leave a quarter of the registers", 512, "use more waves");
    expect(good, [&](config& c) { tile(256, 96, 64, 8, 2)(c), c.vector.in = 4, c.vector.wei = 1; },
           "threads must cover operands and result evenly", 1024, "use powers of two");
    expect(good, [](config& c) { c.tile.stages = 2; }, "single_buffer has one stage and double_buffer two", 2,
           "use 1 or 2, or async_stages");
    expect(good, [](config& c) { c.tile.pipeline = async_stages, c.tile.stages = 4; },
           "the pipeline needs a target with asynchronous copies and products", "async_stages", "use single_buffer or double_buffer");
    expect(wmma, [](config& c) { c.vector.in = 1; }, "accumulators, fragments and operands on their way must fit a lane's registers",
           296, "use more waves, a smaller block or wider vectors");
    expect(async, [](config& c) { c.tile.stages = 1; },
           "wave_specialized has 2 stages or more: one is multiplied, others are copied", 1, "use 3 or 4, or another pipeline");
    expect(async, [](config& c) { c.tile.block = {32, 128, 64}, c.tile.waves = {1, 2}, c.tile.instruction = opcode::mma_16x8x16_fp16; },
           "the pipeline leaves operands as they lie, and the instruction takes those whose k is contiguous", "mma_16x8x16_fp16",
           "use a wgmma, or single_buffer or double_buffer, which turn them");
    expect(async, [](config& c) { c.tile.pipeline = wave_specialized_boxes, c.spatial = 3; },
           "boxes of windows have one or two dimensions", 3, "use 1 or 2, or pipeline wave_specialized");
    expect(async, [](config& c) { c.tile.block.m = 192, c.tile.waves.m = 12, c.tile.stages = 3; },
           "the waves that copy must have 56 registers left by those that multiply", -40, "use a smaller block");
    expect(async, [](config& c) { c.tile.stages = 2, c.tile.pipeline = async_stages; },
           "async_stages has 3 stages or more: one is multiplied, one may still be, others are copied", 2, "use 3 or 4, or another pipeline");
    expect(async, [](config& c) { c.vector.in = 4; }, "the pipeline copies 16 bytes at once", 4, "use vectors of 16 bytes");
    expect(async, [](config& c) { c.tile.instruction = opcode::mma_16x8x16_fp16; },
           "the pipeline leaves operands as they lie, and the instruction takes those whose k is contiguous", "mma_16x8x16_fp16",
           "use a wgmma, or single_buffer or double_buffer, which turn them");
    expect(async, tile(128, 256, 64, 4, 2), "an instruction of several waves gives each of them rows and all columns", 4,
           "use waves.m that is a multiple of the instruction's waves, and waves.n = 1");
    expect(async, tile(128, 64, 64, 8, 1), "block.n must be the width of an instruction that takes operands from LDS", 64,
           "choose the instruction of that width");
    expect(async, [](config& c) { c.tile.block.n = 32, c.tile.instruction = opcode::wgmma_64x32x16_fp16; },
           "an instruction that takes operands from LDS reads rows in lines of 128 bytes where they are contiguous", 32,
           "use a block.m and a block.n that are multiples of 64");
    expect(async, [](config& c) { c.tile.pipeline = double_buffer, c.tile.stages = 2; },
           "single_buffer and double_buffer multiply fragments in registers", "wgmma_64x256x16_fp16",
           "use async_stages, or an instruction of one wave");
    // clang-format on
    constexpr gemm::operand_access k_dense = {{majorness::k, 8}, {majorness::k, 8}, 8};
    const violation shallow =
        gemm::check({{128, 256, 32}, {8, 1}, opcode::wgmma_64x256x16_fp16, async_stages, 4}, sm90, k_dense);
    ASSERT_TRUE(shallow);
    EXPECT_EQ(reflect::describe(shallow),
              "an instruction that takes operands from LDS reads k in lines of 128 bytes, but one is "
              "32: use a block.k that is a multiple of 64");
}

// What it costs the banks of LDS that operands are stored and read in a step.
lds_cost cost_of_operands(const config& c)
{
    lds_cost all;
    for(bool of_in : {false, true})
    {
        const operand_in_lds operand = operand_of(c.tile.shape(), of_in, of_in ? c.in_copy() : c.out_copy());
        all += operand.writes;
        all += operand.reads;
    }
    return all;
}

bool through_registers(const config& c)
{
    return c.tile.pipeline == gemm::pipeline::single_buffer || c.tile.pipeline == gemm::pipeline::double_buffer;
}

TEST(Config, InstancesHaveNoConflictsOfBanks)
{
    for(const instance<operation>& i : operation::instances())
        if(through_registers(i.configuration))
        {
            const lds_cost cost = cost_of_operands(i.configuration);
            EXPECT_FALSE(cost.has_conflicts()) << name_of(i) << ": " << cost.cycles << " cycles, not " << cost.least;
        }
}

// Nor have others, drawn at random, whose lengths are powers of two.
TEST(Config, PowersOfTwoHaveNoConflictsOfBanks)
{
    random_numbers random(61);
    int seen = 0;
    for(int i = 0; i < 200000; ++i)
    {
        const config c   = random_config(random);
        const auto power = [](auto... lengths) { return (((lengths & (lengths - 1)) == 0) && ...); };
        if(!through_registers(c) || !power(c.tile.block.m, c.tile.block.n, c.tile.block.k) ||
           !power(c.tile.waves.m, c.tile.waves.n) || check(c))
            continue;
        const lds_cost cost = cost_of_operands(c);
        EXPECT_FALSE(cost.has_conflicts()) << reflect::print(c) << ": " << cost.cycles << " cycles, not " << cost.least;
        ++seen;
    }
    EXPECT_GT(seen, 100);
}

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight
