// SPDX-License-Identifier: MIT
// check() of the convolutions' configurations says of any numbers what is wrong with them. Here it is evaluated as a constant, in which
// nothing overflows, and nothing is divided by zero, or this does not compile.
#include "ops/depthwise_conv_bwd_data/config.hpp"
#include "ops/grouped_conv_bwd_data/config.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"
#include "ops/grouped_conv_conv_fwd/config.hpp"
#include "ops/grouped_conv_fwd/config.hpp"

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

    using fused = grouped_conv_conv_fwd::config;
    static_assert(rejects_extremes(
        fused{.arch        = architecture::gfx942,
              .first       = grouped_conv_conv_fwd::formulation::depthwise,
              .block       = {128, 64, 32},
              .waves       = {2, 2},
              .instruction = opcode::mfma_16x16x16_fp16,
              .epilogue    = gemm::epilogue::through_lds,
              .window      = {3, 3, 1},
              .patch       = {2, 4},
              .halo        = 192,
              .ahead       = 1,
              .kept        = 1},
        [](fused& c) -> int& { return c.block.m; }, [](fused& c) -> int& { return c.block.n; },
        [](fused& c) -> int& { return c.block.k; }, [](fused& c) -> int& { return c.waves.m; },
        [](fused& c) -> int& { return c.waves.n; }, [](fused& c) -> int& { return c.window.rows; },
        [](fused& c) -> int& { return c.window.cols; }, [](fused& c) -> int& { return c.window.stride; },
        [](fused& c) -> int& { return c.patch.rows; }, [](fused& c) -> int& { return c.patch.cols; },
        [](fused& c) -> int& { return c.halo; }, [](fused& c) -> int& { return c.ahead; },
        [](fused& c) -> int& { return c.kept; }));

    using depthwise = depthwise_conv_bwd_data::config;
    static_assert(rejects_extremes(
        depthwise{.arch     = architecture::gfx942,
                  .type     = data_type::fp16,
                  .channels = 32,
                  .waves    = 4,
                  .window   = {3, 3, 2},
                  .patch    = {4, 4},
                  .halo     = 128,
                  .stages   = 1},
        [](depthwise& c) -> int& { return c.channels; }, [](depthwise& c) -> int& { return c.waves; },
        [](depthwise& c) -> int& { return c.window.rows; }, [](depthwise& c) -> int& { return c.window.cols; },
        [](depthwise& c) -> int& { return c.window.stride; }, [](depthwise& c) -> int& { return c.patch.rows; },
        [](depthwise& c) -> int& { return c.patch.cols; }, [](depthwise& c) -> int& { return c.halo; },
        [](depthwise& c) -> int& { return c.stages; }));
}

} // namespace
} // namespace ck_tile
