// SPDX-License-Identifier: MIT
// check() of the convolutions' configurations says of any numbers what is wrong with them. Here it is evaluated as a constant, in which
// nothing overflows, and nothing is divided by zero, or this does not compile.
#include "ck_tile/reflect/text.hpp"
#include "ops/grouped_conv_bwd_data/config.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"
#include "ops/grouped_conv_conv_fwd/config.hpp"
#include "ops/grouped_conv_fwd/config.hpp"
#include "ops/narrow_conv_bwd_data/config.hpp"
#include "ops/narrow_conv_bwd_weight/config.hpp"
#include "ops/narrow_conv_fwd/config.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ck_tile
{
namespace
{

constexpr int extremes[] = {std::numeric_limits<int>::min(), -1, 0, 1 << 30, std::numeric_limits<int>::max()};

// Whether check() rejects the configuration with each of these members as an extreme number.
template <class Config, class... Member>
constexpr bool rejects_extremes(const Config& good, Member... member)
{
    const auto rejects = [&](auto choose) {
        for(const int number : extremes)
        {
            Config c  = good;
            choose(c) = number;
            if(!check(c))
                return false;
        }
        return true;
    };
    return !check(good) && (... && rejects(member));
}

constexpr auto of_tile = [](const auto& good, auto... more) {
    return rejects_extremes(
        good, [](auto& c) -> int& { return c.tile.block.m; }, [](auto& c) -> int& { return c.tile.block.n; },
        [](auto& c) -> int& { return c.tile.block.k; }, [](auto& c) -> int& { return c.tile.waves.m; },
        [](auto& c) -> int& { return c.tile.waves.n; }, [](auto& c) -> int& { return c.tile.stages; },
        [](auto& c) -> int& { return c.vector.out; }, [](auto& c) -> int& { return c.vector.in; },
        [](auto& c) -> int& { return c.vector.wei; }, more...);
};

constexpr gemm::tile_config single  = {{128, 128, 32}, {1, 2}, opcode::mfma_16x16x16_fp16};
constexpr gemm::tile_config persist = {
    {128, 256, 64}, {8, 1}, opcode::wgmma_64x256x16_fp16, gemm::pipeline::wave_specialized, 4, gemm::epilogue::by_wave};

TEST(Config, BoxesAreOfOperandsInLds)
{
    constexpr auto multiply_by = [](opcode instruction, gemm::pipeline p) {
        return grouped_conv_fwd::config{architecture::sm90,
                                        2,
                                        {{128, 64, 64}, {4, 1}, instruction, p, 3, gemm::epilogue::by_wave},
                                        conv::gemm_rows::pixels,
                                        {8, 8, 8}};
    };
    using enum gemm::pipeline;
    static_assert(!check(multiply_by(opcode::mma_16x8x16_fp16, wave_specialized)));
    static_assert(!check(multiply_by(opcode::wgmma_64x64x16_fp16, wave_specialized_boxes)));
    EXPECT_EQ(reflect::describe(check(multiply_by(opcode::mma_16x8x16_fp16, wave_specialized_boxes))),
              "boxes lie in LDS as instructions take them from there, but one is mma_16x8x16_fp16: use a wgmma, or "
              "wave_specialized");
}

TEST(Config, ExtremeNumbersAreRejectedWithoutOverflow)
{
    static_assert(
        of_tile(grouped_conv_fwd::config{architecture::gfx942, 2, single, conv::gemm_rows::pixels, {8, 8, 8}}));
    static_assert(
        of_tile(grouped_conv_fwd::config{architecture::sm90, 2, persist, conv::gemm_rows::pixels, {8, 8, 8}}));
    static_assert(
        of_tile(grouped_conv_bwd_data::config{architecture::gfx942, 2, single, conv::gemm_rows::pixels, {8, 8, 8}}));
    static_assert(of_tile(grouped_conv_bwd_weight::config{
        architecture::gfx942, 2, single, grouped_conv_bwd_weight::split_k::any_split, {8, 8, 8}}));
    static_assert(of_tile(grouped_conv_bwd_weight::config{
        architecture::sm90, 2, persist, grouped_conv_bwd_weight::split_k::any_split, {8, 8, 8}}));

    using fused             = grouped_conv_conv_fwd::config;
    using first             = grouped_conv_conv_fwd::formulation;
    constexpr auto of_fused = [](const fused& good) {
        return rejects_extremes(
            good, [](fused& c) -> int& { return c.block.m; }, [](fused& c) -> int& { return c.block.n; },
            [](fused& c) -> int& { return c.block.k; }, [](fused& c) -> int& { return c.waves.m; },
            [](fused& c) -> int& { return c.waves.n; }, [](fused& c) -> int& { return c.window.rows; },
            [](fused& c) -> int& { return c.window.cols; }, [](fused& c) -> int& { return c.window.stride; },
            [](fused& c) -> int& { return c.patch.rows; }, [](fused& c) -> int& { return c.patch.cols; },
            [](fused& c) -> int& { return c.halo; }, [](fused& c) -> int& { return c.ahead; },
            [](fused& c) -> int& { return c.kept; });
    };
    constexpr fused depthwise = {.arch        = architecture::gfx942,
                                 .first       = first::depthwise,
                                 .block       = {128, 64, 32},
                                 .waves       = {2, 2},
                                 .instruction = opcode::mfma_16x16x16_fp16,
                                 .epilogue    = gemm::epilogue::through_lds,
                                 .window      = {3, 3, 1},
                                 .patch       = {2, 4},
                                 .halo        = 192,
                                 .ahead       = 1,
                                 .kept        = 1};
    static_assert(of_fused(depthwise));
    constexpr fused dense = [](fused c) {
        c.first  = first::dense;
        c.window = {1, 1, 1};
        c.patch  = {1, 1};
        c.halo   = 2 * c.block.m;
        return c;
    }(depthwise);
    static_assert(of_fused(dense));

    using narrow               = narrow_conv_bwd_data::config;
    constexpr auto of_extremes = [](const narrow& good) {
        return rejects_extremes(
            good, [](narrow& c) -> int& { return c.group; }, [](narrow& c) -> int& { return c.channels; },
            [](narrow& c) -> int& { return c.waves; }, [](narrow& c) -> int& { return c.window.rows; },
            [](narrow& c) -> int& { return c.window.cols; }, [](narrow& c) -> int& { return c.window.stride; },
            [](narrow& c) -> int& { return c.patch.rows; }, [](narrow& c) -> int& { return c.patch.cols; },
            [](narrow& c) -> int& { return c.halo; }, [](narrow& c) -> int& { return c.stages; },
            [](narrow& c) -> int& { return c.taps; });
    };
    static_assert(of_extremes(
        {architecture::gfx942, data_type::fp16, 1, 32, 4, {.rows = 3, .cols = 3, .stride = 2}, {4, 4}, 128, 1}));
    static_assert(of_extremes(
        {architecture::gfx942, data_type::fp16, 16, 32, 4, {.rows = 3, .cols = 3, .stride = 2}, {4, 16}, 128, 1}));
    static_assert(of_extremes({.arch     = architecture::sm90,
                               .type     = data_type::fp16,
                               .group    = 32,
                               .channels = 32,
                               .waves    = 8,
                               .window   = {.rows = 3, .cols = 3, .stride = 1},
                               .patch    = {16, 8},
                               .halo     = 384,
                               .operands = conv::operands_from::lds}));
}

// says(change): what check() says of the configuration once it is changed; nothing, if it is legal.
template <class Config>
auto says_of(const Config& good)
{
    return [good](auto&& change) {
        Config c = good;
        change(c);
        const violation v = check(c);
        return v ? reflect::describe(v) : std::string();
    };
}

TEST(NarrowConfig, WhatIsIllegal)
{
    using config          = narrow_conv_fwd::config;
    constexpr config good = {.arch     = architecture::gfx942,
                             .type     = data_type::fp16,
                             .group    = 1,
                             .channels = 32,
                             .waves    = 4,
                             .window   = {3, 3, 1},
                             .patch    = {2, 7},
                             .halo     = 320,
                             .stages   = 1};
    static_assert(!check(good));
    const auto broken = says_of(good);
    EXPECT_EQ(broken([](config& c) { c.type = data_type::int32; }),
              "images must be of a floating-point type, but one is int32: choose fp16, bf16 or fp32");
    EXPECT_EQ(broken([](config& c) { c.window.cols = 0; }),
              "the compiler must know filter and stride, or none of them, but one is 1: use 0 for rows and stride, or "
              "for neither");
    EXPECT_EQ(broken([](config& c) { c.window = {0, 0, 0}; }), "");
    EXPECT_EQ(broken([](config& c) { c.window = {0, 1025, 0}; }),
              "any window must have 1024 taps at most, as its columns say, but one is 1025: use 0 columns, for 64");
    EXPECT_EQ(broken([](config& c) { c.window.cols = 22; }),
              "a window that the compiler knows must have 64 taps at most, but one is 66: use a smaller one");
    EXPECT_EQ(
        broken([](config& c) { c.patch.cols = 0; }),
        "channels, waves, patches, halo and stages must be positive, and 4096 at most, but one is 0: choose 1 or more");
    EXPECT_EQ(broken([](config& c) { c.patch = {6, 6}; }),
              "a patch must have 32 pixels at most, but one is 36: use a smaller one");
    EXPECT_EQ(broken([](config& c) { c.waves = 3; }),
              "waves must be a power of two within the threads of a block, but one is 3: use fewer");
    EXPECT_EQ(
        broken([](config& c) { c.channels = 256; }),
        "channels must be a power of two, of 16 bytes at least and of a wave at most, but one is 256: use 32 channels");
    EXPECT_EQ(
        broken([](config& c) { c.halo = 300; }),
        "the threads must share the halo's pixels evenly, but one is 300: use a multiple of threads * 8 / channels, "
        "or, where products take several taps, of threads");
    EXPECT_EQ(broken([](config& c) { c.patch = {1, 32}, c.window = {9, 7, 2}; }),
              "the rows of pixels that a patch sees must fit the halo, but one is 9: use a larger halo or a smaller "
              "patch");
    EXPECT_EQ(
        broken([](config& c) { c.stages = 3; }),
        "halos must be 2 to 4 where copies are asynchronous, 1 or 2 where they are not, but one is 3: use 2 stages");
    EXPECT_EQ(broken([](config& c) { c.halo = 896, c.stages = 2; }),
              "what a block has in LDS must fit, but one is 115968: use fewer stages, or a smaller halo");

    constexpr config of_groups = {.arch     = architecture::gfx942,
                                  .type     = data_type::fp16,
                                  .group    = 16,
                                  .channels = 32,
                                  .waves    = 4,
                                  .window   = {3, 3, 1},
                                  .patch    = {4, 8},
                                  .halo     = 320,
                                  .stages   = 1};
    static_assert(!check(of_groups));
    const auto broken_group = says_of(of_groups);
    EXPECT_EQ(broken_group([](config& c) { c.group = 8; }),
              "channels of a group must be 1, 16 and what divides it, 32, or, of operands in LDS, 64, but one is 8: "
              "use 1, 16 or 32");
    EXPECT_EQ(
        broken_group([](config& c) { c.group = 32; }),
        "groups of several slices of 16 channels are computed of any window, forward or to dX, by blocks of whole "
        "groups, but one is 32: use a window of 0 rows, and channels that are a multiple of 32");
    EXPECT_EQ(broken_group([](config& c) { c.planes = 0; }),
              "a filter must have 1 to 64 planes, but one is 0: use 1 for two dimensions");
    EXPECT_EQ(
        broken_group([](config& c) { c.planes = 3; }),
        "by matrix instructions, images are made of filters of one plane where the compiler knows the window, but "
        "one is 3: use a window of 0 rows, or 1 plane");
    EXPECT_EQ(broken_group([](config& c) { c.type = data_type::fp32; }),
              "groups of several channels must be of a type that matrix instructions of 16 x 16 channels have, but one "
              "is fp32: choose fp16 or bf16");
    EXPECT_EQ(broken_group([](config& c) { c.window = {5, 5, 1}; }),
              "registers hold the weights or sums of 14 products at most, of a tap each, or of several of a row, but "
              "one is 25: use a window of 3x3, or any of 9 taps at once");
    EXPECT_EQ(broken_group([](config& c) { c.window = {7, 7, 2}, c.halo = 512, c.taps = 4; }), "");
    EXPECT_EQ(broken_group([](config& c) { c.taps = 3; }),
              "products must take 1 tap, or, but for dX, of groups of 16 channels, 2 or 4, but one is 3: use 1");
    EXPECT_EQ(broken_group([](config& c) { c.window = {0, 32, 0}; }), "");
    EXPECT_EQ(broken_group([](config& c) { c.window = {0, 64, 0}; }),
              "what a block has in LDS must fit, but one is 91136: use fewer stages, or a smaller halo");
    EXPECT_EQ(broken_group([](config& c) { c.patch.cols = 16; }),
              "patches must be 8 pixels wide, or of dX 8 times the stride, and 16 high at most, but one is 16: use 8 "
              "columns");
    EXPECT_EQ(broken_group([](config& c) { c.waves = 1; }),
              "waves must be a multiple of a block's slices of 16 channels, but one is 1: use more waves, or fewer "
              "channels");
}

TEST(NarrowConfig, OperandsInLds)
{
    using config          = narrow_conv_fwd::config;
    constexpr config good = {.arch     = architecture::sm90,
                             .type     = data_type::bf16,
                             .group    = 32,
                             .channels = 32,
                             .waves    = 8,
                             .window   = {3, 3, 2},
                             .patch    = {8, 8},
                             .halo     = 576,
                             .operands = conv::operands_from::lds};
    static_assert(!check(good));
    const auto broken = says_of(good);
    EXPECT_EQ(broken([](config& c) { c.window = {0, 25, 0}, c.patch = {16, 8}; }), "");
    EXPECT_EQ(broken([](config& c) { c.arch = architecture::gfx942, c.stages = 1; }),
              "the architecture must multiply operands of the type that lie in LDS, but one is bf16: take operands "
              "from registers");
    EXPECT_EQ(broken([](config& c) { c.type = data_type::fp32; }),
              "the architecture must multiply operands of the type that lie in LDS, but one is fp32: take operands "
              "from registers");
    EXPECT_EQ(broken([](config& c) { c.group = c.channels = 64, c.window = {0, 9, 0}, c.halo = 384; }), "");
    EXPECT_EQ(broken([](config& c) { c.channels = 64; }),
              "operands in LDS have 32 or 64 channels, of a block and of a group at most, but one is 64: use groups of "
              "32, and 32 channels");
    EXPECT_EQ(broken([](config& c) { c.group = c.channels = 16; }),
              "operands in LDS have 32 or 64 channels, of a block and of a group at most, but one is 16: use groups of "
              "32, and 32 channels");
    EXPECT_EQ(broken([](config& c) { c.group = 1, c.taps = 17; }),
              "operands in LDS have 32 or 64 channels, of a block and of a group at most, but one is 32: use groups of "
              "32, and 32 channels");
    EXPECT_EQ(
        broken([](config& c) { c.operands = conv::operands_from::registers, c.group = 64; }),
        "channels of a group must be 1, 16 and what divides it, 32, or, of operands in LDS, 64, but one is 64: use "
        "1, 16 or 32");
    EXPECT_EQ(broken([](config& c) { c.patch = {7, 8}; }),
              "operands in LDS are patches of 8 x 8 pixels, or of up to 4 of these, one below the other, but one is 7: "
              "use 16 x 8");
    EXPECT_EQ(broken([](config& c) { c.window.stride = 3; }),
              "operands in LDS have neighbouring pixels, or, forward, every second one, but one is 3: use a stride of "
              "1, or any window");
    EXPECT_EQ(broken([](config& c) { c.waves = 2; }),
              "four waves multiply operands in LDS, but one is 2: use a multiple of 4");
    constexpr narrow_conv_bwd_weight::config of_weights = {.arch     = architecture::sm90,
                                                           .type     = data_type::fp16,
                                                           .group    = 32,
                                                           .channels = 32,
                                                           .waves    = 8,
                                                           .window   = {3, 3, 1},
                                                           .patch    = {8, 8},
                                                           .halo     = 384,
                                                           .operands = conv::operands_from::lds};
    EXPECT_EQ(reflect::describe(check(of_weights)),
              "operands in LDS make images, but one is 32: take operands of backward weight from registers");
}

TEST(NarrowConfig, PairsOfTaps)
{
    using config          = narrow_conv_fwd::config;
    constexpr config good = {.arch     = architecture::sm90,
                             .type     = data_type::fp16,
                             .group    = 1,
                             .channels = 64,
                             .waves    = 4,
                             .window   = {3, 3, 2},
                             .patch    = {8, 8},
                             .halo     = 296,
                             .taps     = 2};
    static_assert(!check(good));
    const auto broken = says_of(good);
    EXPECT_EQ(broken([](config& c) { c.waves = 8, c.patch = {16, 8}, c.window = {5, 5, 1}; }), "");
    EXPECT_EQ(broken([](config& c) { c.type = data_type::fp32; }),
              "squares are multiplied 16 x 8 x 16, of 16-bit types, but one is fp32: use products of 1 tap, of "
              "operands in registers");
    EXPECT_EQ(broken([](config& c) { c.arch = architecture::gfx942, c.stages = 1; }),
              "squares are multiplied 16 x 8 x 16, of 16-bit types, but one is fp16: use products of 1 tap, of "
              "operands in registers");
    EXPECT_EQ(broken([](config& c) { c.channels = 32; }), "");
    EXPECT_EQ(broken([](config& c) { c.channels = 16, c.patch.rows = 16, c.halo = 568; }), "");
    for(const int channels : {8, 128})
        EXPECT_EQ(broken([&](config& c) { c.channels = channels; }),
                  fmt::format("boxes of squares have rows of 16, 32 or 64 channels, but one is {}: "
                              "use 64 channels",
                              channels));
    EXPECT_EQ(broken([](config& c) { c.window = {0, 9, 0}; }),
              "the compiler must know the window of squares, of a stride of 2 at most, or, of dX, 1, but one is "
              "0: set rows, cols and stride of the window, or use products of 1 tap");
    EXPECT_EQ(broken([](config& c) { c.patch.cols = 16; }),
              "squares have rows of 8 pixels, but one is 16: use patches 8 wide");
    for(const int rows : {7, 32})
        EXPECT_EQ(
            broken([&](config& c) { c.patch.rows = rows; }),
            fmt::format("products of squares have two rows of a patch, of 16 at most, but one is {}: use patches of "
                        "8 or 16 rows",
                        rows));
    EXPECT_EQ(broken([](config& c) { c.planes = 3; }), "boxes are of one plane, but one is 3: use 1 plane");
    EXPECT_EQ(broken([](config& c) { c.patch.rows = 2, c.waves = 16; }),
              "waves must share the channels of a patch by 8, or by pairs of rows, but one is 16: use as many waves as "
              "there are times 8 channels, or fewer");
    EXPECT_EQ(
        broken([](config& c) { c.halo = 290; }),
        "the threads must share the halo's pixels evenly, but one is 290: use a multiple of threads * 8 / channels, "
        "or, where products take several taps, of threads");
    constexpr narrow_conv_bwd_data::config of_dx = {.arch     = architecture::sm90,
                                                    .type     = data_type::fp16,
                                                    .group    = 1,
                                                    .channels = 64,
                                                    .waves    = 4,
                                                    .window   = {3, 3, 2},
                                                    .patch    = {8, 8},
                                                    .halo     = 104,
                                                    .taps     = 2};
    EXPECT_EQ(reflect::describe(check(of_dx)),
              "the compiler must know the window of squares, of a stride of 2 at most, or, of dX, 1, but one is "
              "2: set rows, cols and stride of the window, or use products of 1 tap");
    constexpr narrow_conv_bwd_weight::config of_weights = {.arch     = architecture::sm90,
                                                           .type     = data_type::fp16,
                                                           .group    = 1,
                                                           .channels = 64,
                                                           .waves    = 4,
                                                           .window   = {3, 3, 1},
                                                           .patch    = {8, 8},
                                                           .halo     = 104,
                                                           .taps     = 2};
    EXPECT_EQ(reflect::describe(check(of_weights)),
              "a wave makes weights of 8 channels, or of a group of 16, but one is 4: use 8 waves "
              "for 64 channels");
}

TEST(NarrowConfig, Squares)
{
    using config          = narrow_conv_fwd::config;
    constexpr config good = {.arch     = architecture::sm90,
                             .type     = data_type::fp16,
                             .group    = 8,
                             .channels = 64,
                             .waves    = 16,
                             .window   = {3, 3, 2},
                             .patch    = {8, 8},
                             .halo     = 296,
                             .operands = conv::operands_from::squares};
    static_assert(!check(good));
    const auto broken = says_of(good);
    EXPECT_EQ(broken([](config& c) { c.group = 16; }), "");
    for(const int group : {1, 4, 32})
        EXPECT_EQ(broken([&](config& c) { c.group = group; }),
                  fmt::format("squares are of groups of 8 or 16 channels, or a divisor of these, but one is {}: use 8 "
                              "or 16, or, of groups of 1 channel, 2 taps, and operands in registers",
                              group));
    EXPECT_EQ(broken([](config& c) { c.taps = 2; }),
              "squares of several channels per group have 1 tap, but one is 2: use 1");
    EXPECT_EQ(broken([](config& c) { c.planes = 3; }), "boxes are of one plane, but one is 3: use 1 plane");
    EXPECT_EQ(broken([](config& c) { c.group = 16, c.waves = 32; }),
              "waves must share the channels of a patch by 8, or by pairs of rows, but one is 32: use as many waves as "
              "there are times 8 channels, or fewer");
    // Of groups of 16 a wave has both slices of 8, of fewer rows.
    config of_both = good;
    of_both.group  = 16;
    EXPECT_EQ(of_both.rows().reg.only(1).size(), 2);
    EXPECT_EQ(of_both.rows().regs(), 2 * good.rows().regs() / 2);
    constexpr narrow_conv_bwd_weight::config of_weights = {.arch     = architecture::sm90,
                                                           .type     = data_type::fp16,
                                                           .group    = 16,
                                                           .channels = 64,
                                                           .waves    = 8,
                                                           .window   = {3, 3, 1},
                                                           .patch    = {8, 8},
                                                           .halo     = 104,
                                                           .planes   = 3,
                                                           .operands = conv::operands_from::squares};
    static_assert(!check(of_weights) && of_weights.most_products() == 9);
    // A wave may have both slices of dY of a group, but not those of two groups.
    constexpr auto of_waves = [=](int waves) {
        narrow_conv_bwd_weight::config c = of_weights;
        c.waves                          = waves;
        return c;
    };
    static_assert(!check(of_waves(4)) && of_waves(4).most_products() == 18);
    EXPECT_EQ(reflect::describe(check(of_waves(2))),
              "a wave makes weights of 8 channels, or of a group of 16, but one is 2: use 8 waves for 64 channels");
}

// As many blocks as memory can wait for, not as fit; those that make images are as many as fit.
TEST(NarrowConfig, BlocksOfWeightsByPairsOfTaps)
{
    narrow_conv_bwd_weight::config c = {.arch     = architecture::sm90,
                                        .type     = data_type::fp16,
                                        .group    = 1,
                                        .channels = 64,
                                        .waves    = 8,
                                        .window   = {3, 3, 1},
                                        .patch    = {8, 8},
                                        .halo     = 104,
                                        .taps     = 2};
    const target& t                  = facts(c.arch);
    EXPECT_EQ(c.stages * c.stage_bytes(), 2 * (104 + 64) * 128);
    EXPECT_EQ(c.blocks_at_once(t), 3);
    EXPECT_EQ(c.blocks_wanted(t), 2);
    c.window.stride = 2, c.halo = 296;
    EXPECT_EQ(c.blocks_at_once(t), 2);
    EXPECT_EQ(c.blocks_wanted(t), 1);
    c.stages = 3; // more than they may have
    EXPECT_EQ(c.blocks_wanted(t), 1);
    const narrow_conv_fwd::config of_images = {c.arch, c.type, 1, 64, 8, c.window, c.patch, 296, 2, 1, 2};
    EXPECT_EQ(of_images.blocks_at_once(t), 2);
    EXPECT_EQ(of_images.blocks_wanted(t), 2);
}

TEST(NarrowConfig, RowsOfAFilter)
{
    using config          = narrow_conv_fwd::config;
    constexpr config good = {.arch     = architecture::sm90,
                             .type     = data_type::fp16,
                             .group    = 1,
                             .channels = 16,
                             .waves    = 4,
                             .window   = {0, 7, 0},
                             .patch    = {8, 32},
                             .halo     = 1024,
                             .stages   = 1,
                             .taps     = 17};
    static_assert(!check(good));
    const auto broken = says_of(good);
    EXPECT_EQ(broken([](config& c) { c.type = data_type::fp32, c.waves = 8; }),
              "rows of a filter must be of a type that matrix instructions of 16 rows have, but one is fp32: choose "
              "fp16 or bf16");
    EXPECT_EQ(
        broken([](config& c) { c.window = {7, 7, 1}; }),
        "rows of a filter must be of any window, whose columns say how many there are at most, but one is 7: use a "
        "window of 0 rows, and 7 columns");
    EXPECT_EQ(broken([](config& c) { c.taps = 16; }),
              "a row of a filter must have 17, 33, 49 or 65 taps at most, but one is 16: use 17");
    EXPECT_EQ(broken([](config& c) { c.patch = {4, 16}; }),
              "patches must be whole products of 16 pixels of a row and as many rows as the instruction has columns, "
              "but one is 4: use 16 x 32");
    EXPECT_EQ(broken([](config& c) { c.patch = {40, 32}; }),
              "patches must have 1024 pixels at most, but one is 1280: use fewer rows");
    EXPECT_EQ(broken([](config& c) { c.channels = 12; }),
              "channels must be whole vectors of 16 bytes, but one is 12: use 8");
    EXPECT_EQ(broken([](config& c) { c.planes = 3; }),
              "rows of a filter must be those of one plane, but one is 3: use 1 plane");
    EXPECT_EQ(
        broken([](config& c) { c.stages = 2; }),
        "rows of a filter must be of one halo: other blocks compute while it is copied, but one is 2: use 1 stage");
    EXPECT_EQ(
        broken([](config& c) { c.waves = 1; }),
        "waves must be a multiple of a block's slices of 8 channels, but one is 1: use more waves, or fewer channels");
    EXPECT_EQ(broken([](config& c) { c.window.cols = 64; }),
              "what a block has in LDS must fit, but one is 393344: use fewer stages, or a smaller halo");
}

TEST(NarrowConfig, WeightsByRowsOfAFilter)
{
    using config          = narrow_conv_bwd_weight::config;
    constexpr config good = {.arch     = architecture::sm90,
                             .type     = data_type::fp16,
                             .group    = 1,
                             .channels = 16,
                             .waves    = 8,
                             .window   = {0, 7, 0},
                             .patch    = {1, 16},
                             .halo     = 1024,
                             .stages   = 1,
                             .taps     = 32};
    static_assert(!check(good));
    static_assert(good.channels_of_wave() == 2 && good.most_products() == 2 && good.filter_rows() == 8);
    const auto broken = says_of(good);
    EXPECT_EQ(
        broken([](config& c) { c.taps = 17; }),
        "a row of a filter must have 16, 32, 48 or 64 taps at most, of which weights are made, but one is 17: use "
        "16");
    EXPECT_EQ(broken([](config& c) { c.patch = {1, 24}; }),
              "patches must be whole products of 16 pixels of a row, but one is 24: use 1 x 16");
    EXPECT_EQ(broken([](config& c) { c.waves = 3; }),
              "waves must divide a block's channels, of which each has all weights, but one is 3: use as many as there "
              "are channels");
    EXPECT_EQ(broken([](config& c) { c.halo = 4096; }),
              "what a block has in LDS must fit, but one is 262176: use fewer stages, or a smaller halo");
}

TEST(NarrowConfig, SumsOfAnyWindow)
{
    constexpr narrow_conv_bwd_weight::config c = {.arch     = architecture::gfx942,
                                                  .type     = data_type::fp16,
                                                  .group    = 1,
                                                  .channels = 32,
                                                  .waves    = 4,
                                                  .window   = {0, 64, 0},
                                                  .patch    = {2, 4},
                                                  .halo     = 384,
                                                  .stages   = 1};
    static_assert(!check(c));
    auto odd        = c;
    odd.window.cols = 20;
    EXPECT_EQ(reflect::describe(check(odd)),
              "taps of any window must be a multiple of those whose sums are added up "
              "at once, but one is 20: use a multiple of 8, or, by matrix instructions, of 2 or 3");
}

TEST(NarrowConfig, PatchesOfWholeStrides)
{
    const narrow_conv_bwd_data::config c = {.arch     = architecture::sm90,
                                            .type     = data_type::fp16,
                                            .group    = 1,
                                            .channels = 32,
                                            .waves    = 4,
                                            .window   = {3, 3, 2},
                                            .patch    = {4, 7},
                                            .halo     = 192,
                                            .stages   = 2};
    EXPECT_EQ(reflect::describe(check(c)), "a patch of dX must have a multiple of the stride of pixels, but one is 7: "
                                           "use a patch whose lengths the stride divides");
}

constexpr int bytes = 2; // of an element

// What it costs the banks of LDS that a wave reads a pixel of each patch of a row of these.
lds_cost reads_of_patches(const narrow_conv_fwd::config& c)
{
    const distribution d = c.rows();
    return cost_of_access({c.own() * bytes, c.lanes(), lds_direction::read}, [&](int lane) {
        const slot at   = {.wave = 0, .lane = lane, .reg = 0, .vec = 0};
        const int pixel = d.locate(0, at) / c.patch.pixels() * c.patch.cols * c.window.stride;
        return (pixel * c.halo_layout().line() + d.locate(1, at)) * bytes;
    });
}
// And that it reads the operand of a product, of patches one below the other.
lds_cost reads_of_operand(const narrow_conv_fwd::config& c)
{
    constexpr int width  = conv::tap_product::width;
    const distribution d = c.instruction().b;
    return cost_of_access({d.vecs() * bytes, c.lanes(), lds_direction::read}, [&](int lane) {
        const int n     = d.lane.along(0, lane);
        const int pixel = n % width + n / width * c.patch.rows * (width + c.window.cols - 1);
        return (pixel * c.halo_layout().line() + d.lane.along(1, lane)) * bytes;
    });
}
lds_cost copies(const narrow_conv_fwd::config& c)
{
    return cost_of(c.halo_copy(), c.halo_layout(), bytes, lds_direction::write);
}

// Where copies go through registers, multiply-adds meet no bank twice if patches are an odd number of pixels from each other, and copies do not.
TEST(NarrowConfig, MultiplyAddsHaveNoConflictsOfBanks)
{
    for(const architecture a : {architecture::gfx90a, architecture::gfx942, architecture::gfx11})
    {
        narrow_conv_fwd::config c = {.arch     = a,
                                     .type     = data_type::fp16,
                                     .group    = 1,
                                     .channels = 32,
                                     .waves    = 4,
                                     .window   = {3, 3, 1},
                                     .patch    = {2, 7},
                                     .halo     = 384,
                                     .stages   = 1};
        ASSERT_FALSE(check(c));
        EXPECT_FALSE(copies(c).has_conflicts()) << name_of(a);
        EXPECT_FALSE(reads_of_patches(c).has_conflicts()) << name_of(a);
        c.patch = {1, 16};
        EXPECT_EQ(reads_of_patches(c).cycles, 2 * reads_of_patches(c).least) << name_of(a);
    }
}

// Pixels are multiples of 16 bytes apart, and a lane of an MFMA has 8 bytes of one: half of the banks.
TEST(NarrowConfig, OperandsHaveFewConflictsOfBanks)
{
    for(const architecture a : {architecture::gfx90a, architecture::gfx942, architecture::gfx950, architecture::sm90})
        for(const int channels : {16, 32, 64})
        {
            const narrow_conv_fwd::config c = {.arch     = a,
                                               .type     = data_type::fp16,
                                               .group    = 16,
                                               .channels = channels,
                                               .waves    = 4,
                                               .window   = {3, 3, 1},
                                               .patch    = {4, 8},
                                               .halo     = 320,
                                               .stages   = 2};
            const lds_cost reads            = reads_of_operand(c);
            EXPECT_EQ(reads.cycles, a == architecture::sm90 ? reads.least : 2 * reads.least)
                << name_of(a) << ", " << channels << " channels";
        }
}

} // namespace
} // namespace ck_tile
