// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_fwd
{

struct config
{
    architecture arch;
    int spatial; // dimensions of the convolution, see conv::check_convolution()
    gemm::tile_config
        tile; // m: output pixels, n: output channels, k: taps x input channels; m and n the other way round of pointwise ones
    conv::vector_widths vector;

    constexpr bool is_pointwise() const { return spatial == 0; }
    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr gemm::operand_access access() const
    {
        if(is_pointwise())
            return {.a = {majorness::k, vector.wei}, .b = {majorness::mn, vector.in}, .result = vector.out};
        return {.a = {majorness::k, vector.in}, .b = {majorness::k, vector.wei}, .result = vector.out};
    }
    constexpr distribution in_copy() const { return gemm::tiled_copy(tile, tile.block.m, majorness::k, vector.in); }
    constexpr distribution wei_copy() const { return gemm::tiled_copy(tile, tile.block.n, majorness::k, vector.wei); }
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

} // namespace ck_tile::grouped_conv_fwd
