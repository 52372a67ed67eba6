// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

struct config
{
    architecture arch;
    int spatial; // dimensions of the convolution, see conv::check_convolution()
    gemm::tile_config
        tile; // m: input pixels of a residue class, n: input channels, k: taps x output channels; m and n the other way round
              // of pointwise ones
    conv::vector_widths vector;

    constexpr bool is_pointwise() const { return spatial == 0; }
    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr gemm::operand_access access() const
    {
        if(is_pointwise())
            return {.a = {majorness::mn, vector.wei}, .b = {majorness::mn, vector.out}, .result = vector.in};
        return {.a = {majorness::k, vector.out}, .b = {majorness::mn, vector.wei}, .result = vector.in};
    }
    constexpr distribution out_copy() const { return gemm::tiled_copy(tile, tile.block.m, majorness::k, vector.out); }
    constexpr distribution wei_copy() const { return gemm::tiled_copy(tile, tile.block.n, majorness::mn, vector.wei); }
    // Output channels of one tap that a thread has next to each other.
    constexpr int wei_run() const
    {
        const digits k = wei_copy().reg.only(1);
        return k.count > 0 && k.at[0].stride == 1 ? common_divisor(k.at[0].extent, vector.out) : 1;
    }
    constexpr int registers() const { return tile.registers(facts(arch)); }
    constexpr int blocks_at_once() const { return tile.blocks_at_once(facts(arch)); }
    constexpr int lds_bytes() const { return tile.lds_bytes(); }
};

// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    return conv::check_convolution(c.spatial, c.tile, t, c.access());
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_bwd_data
