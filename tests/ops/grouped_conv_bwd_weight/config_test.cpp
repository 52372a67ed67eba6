// SPDX-License-Identifier: MIT
// check(config) is sufficient: a configuration that it accepts has distributions that cover, and fits its architecture.
#include "ops/grouped_conv_bwd_weight/config.hpp"

#include "ops/grouped_conv_bwd_weight/describe.hpp"
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
    c.instruction      = arch.instructions[random.between(0, arch.instruction_count - 1)];
    c.dtype            = describe(c.instruction).type;
    c.spatial          = random.between(1, 3);
    c.dense            = random.between(0, 1) ? innermost::channels : innermost::spatial;
    c.block.m          = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.block.n          = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.block.k          = among({8, 16, 24, 32, 48, 64, 96, 128});
    c.waves.m          = among({1, 1, 2, 3, 4, 8});
    c.waves.n          = among({1, 1, 2, 3, 4});
    c.pipeline         = static_cast<gemm::pipeline>(random.between(0, 2));
    c.stages           = random.between(1, 4);
    c.epilogue         = static_cast<gemm::epilogue>(random.between(0, 1));
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
    for(int i = 0; i < 100000 && broken < 5; ++i)
    {
        const config c = random_config(random);
        if(check(c))
            continue;
        ++accepted;
        const gemm::shape s                                 = c.shape();
        const std::pair<const char*, distribution> needed[] = {
            {"dY from memory", c.out_transfer().memory},
            {"dY to LDS", c.out_transfer().lds},
            {"X from memory", c.in_transfer().memory},
            {"X to LDS", c.in_transfer().lds},
            {"fragments of A", gemm::a_fragments(s)},
            {"fragments of B", gemm::b_fragments(s)},
            {"accumulator", gemm::accumulator(s)},
            {"rows of the result", c.epilogue == gemm::epilogue::direct ? gemm::detail::one_by_one(s)
                                                                        : gemm::detail::rows_at_once(s, c.vector.wei)}};
        for(const auto& [what, d] : needed)
            if(!d.covers() || d.threads() != s.threads())
            {
                ++broken;
                ADD_FAILURE() << "check accepts " << reflect::print(c) << ", but " << what
                              << " does not cover the tile";
                break;
            }
        EXPECT_LE(c.lds_bytes(), facts(c.arch).lds_bytes);
        EXPECT_LE(s.threads(), facts(c.arch).max_block_threads);
    }
    EXPECT_GT(accepted, 300);
}

// Each rule, broken alone.
TEST(Config, RejectionsSayRuleValueAndFix)
{
    using enum gemm::pipeline;
    // clang-format off
    constexpr config good  = {architecture::gfx942, data_type::fp16, 2, innermost::channels, {128, 128, 32}, {1, 2},
                              opcode::mfma_16x16x16_fp16, single_buffer, 1, gemm::epilogue::through_lds, split_k::any_split, {8, 8, 8}};
    constexpr config async = {architecture::sm90, data_type::fp16, 2, innermost::channels, {128, 256, 64}, {8, 1},
                              opcode::mma_16x8x16_fp16, async_stages, 4, gemm::epilogue::through_lds, split_k::any_split, {8, 8, 8}};
    constexpr config fp32  = {architecture::sm90, data_type::fp32, 2, innermost::channels, {64, 64, 16}, {2, 2},
                              opcode::fma_4x8x1_fp32, double_buffer, 2, gemm::epilogue::through_lds, split_k::any_split, {4, 4, 4}};
    // clang-format on
    ASSERT_FALSE(check(good)) << check(good).rule;
    ASSERT_FALSE(check(async)) << check(async).rule;
    ASSERT_FALSE(check(fp32)) << check(fp32).rule;

    const auto expect = [](config c, auto&& change, const std::string& rule, const auto& value,
                           const std::string& fix) {
        change(c);
        const violation v = check(c);
        ASSERT_TRUE(v) << rule << " is not checked";
        EXPECT_EQ(reflect::describe(v), fmt::format("{}, but one is {}: {}", rule, value, fix));
    };
    const auto tile = [](int m, int n, int k, int waves_m, int waves_n) {
        return
            [=](config& c) { c.block.m = m, c.block.n = n, c.block.k = k, c.waves.m = waves_m, c.waves.n = waves_n; };
    };
    // clang-format off
    expect(good, [](config& c) { c.spatial = 4; }, "spatial dimensions must be 1, 2 or 3", 4, "choose one of them");
    expect(good, [](config& c) { c.instruction = opcode::wmma_16x16x16_fp16; }, "the architecture must have the matrix instruction",
           "wmma_16x16x16_fp16", "choose one of its own");
    expect(good, [](config& c) { c.dtype = data_type::bf16; }, "the matrix instruction must multiply the type of the problem",
           "mfma_16x16x16_fp16", "choose the one for dtype");
    expect(good, [](config& c) { c.instruction = opcode::mfma_4x4x4_16_blocks_fp16; },
           "an implicit GEMM needs an instruction of one block", 16, "choose one with blocks = 1");
    expect(good, tile(128, 128, 32, 4, 8), "waves.m * waves.n * wave must be within the threads of a block", 2048, "use fewer waves");
    expect(good, tile(24, 128, 32, 1, 2), "block.m must be a multiple of waves.m * instruction m", 24, "enlarge block.m or use fewer waves");
    expect(good, tile(128, 24, 32, 1, 2), "block.n must be a multiple of waves.n * instruction n", 24, "enlarge block.n or use fewer waves");
    expect(good, tile(128, 128, 24, 1, 2), "block.k must be a multiple of the depth of one load of fragments", 24,
           "use a multiple of gemm::shape::slab()");
    expect(good, tile(16, 48, 32, 1, 3), "the threads must share block.m * k and block.n * k evenly", 192, "enlarge the tile or use fewer waves");
    expect(good, tile(48, 128, 32, 1, 2), "a thread's part of an operand must be whole lines", 12, "use powers of two");
    expect(good, tile(1024, 16, 32, 1, 1), "a thread's part of an operand must fit the tile", 512, "use more waves");
    expect(good, [](config& c) { c.vector.in = 3; }, "vector widths must be powers of two of at most 16 bytes", 3, "use 1, 2, 4 or 8");
    expect(good, [](config& c) { c.dense = innermost::spatial, c.vector.in = 4; },
           "pixels of X that a window makes neighbours need not be so in memory", 4, "use vector.in = 1 where the pixels are dense");
    expect(good, tile(16, 128, 32, 1, 2), "a vector must not be wider than a thread's part of the operand", 8, "use a narrower vector");
    expect(good, tile(128, 32, 32, 1, 2),
           "threads must hold whole rows of the result, and strips of it whole turns of the threads", 8,
           "use another vector.wei or number of waves");
    expect(good, tile(192, 192, 32, 1, 3), "the threads must share the positions of a lookup table evenly", 256,
           "use a power of two of waves");
    expect(good, [](config& c) { c.block.m = c.block.n = 256, c.block.k = 64, c.waves.m = 2, c.pipeline = double_buffer, c.stages = 2; },
           "LDS of the main loop and the epilogue must fit the block's", 135168, "shrink the tile or use single_buffer");
    expect(good, tile(512, 256, 32, 2, 2), "accumulators must leave a quarter of the registers", 512, "use more waves");
    expect(good, [&](config& c) { tile(256, 96, 64, 8, 2)(c), c.vector.in = 4, c.vector.wei = 1; },
           "threads must cover operands and result evenly", 1024, "use powers of two");
    expect(good, [](config& c) { c.pipeline = async_stages, c.stages = 4; }, "async_stages needs a target with asynchronous copies and products",
           "gfx942", "use single_buffer or double_buffer");
    expect(fp32, [](config& c) { c.pipeline = async_stages, c.stages = 4; }, "async_stages multiplies 16-bit types", "fp32",
           "use single_buffer or double_buffer");
    expect(async, [](config& c) { c.vector.in = 4; }, "async_stages copies 16 bytes of channels at once", 4, "use vectors of 8");
    expect(async, tile(128, 256, 64, 4, 2), "async_stages gives a wave 16 rows and all columns, in groups of four waves", 4,
           "use waves.m = block.m / 16, a multiple of 4, and waves.n = 1");
    expect(async, tile(128, 64, 64, 8, 1), "async_stages multiplies 128, 192 or 256 columns at once", 64, "choose one of them");
    // clang-format on
}

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight
