// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_fwd
{

struct config
{
    architecture arch;
    int spatial;            // dimensions of the convolution, see conv::check_convolution()
    gemm::tile_config tile; // m and n: output pixels and output channels, as rows says; k: taps x input channels
    conv::gemm_rows rows;
    conv::vector_widths vector;

    constexpr bool is_pointwise() const { return spatial == 0; }
    constexpr bool has_pixel_rows() const { return rows == conv::gemm_rows::pixels; }
    // Of a block's tile.
    constexpr int tile_pixels() const { return has_pixel_rows() ? tile.block.m : tile.block.n; }
    constexpr int tile_channels() const { return has_pixel_rows() ? tile.block.n : tile.block.m; }
    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr gemm::operand_access access() const
    {
        const gemm::operand_memory pixels  = {is_pointwise() ? majorness::mn : majorness::k, vector.in},
                                   weights = {majorness::k, vector.wei};
        return has_pixel_rows() ? gemm::operand_access{pixels, weights, vector.out}
                                : gemm::operand_access{weights, pixels, vector.out};
    }
    constexpr distribution in_copy() const { return gemm::tiled_copy(tile, tile_pixels(), majorness::k, vector.in); }
    constexpr distribution wei_copy() const
    {
        return gemm::tiled_copy(tile, tile_channels(), majorness::k, vector.wei);
    }
    constexpr bool takes_boxes() const { return gemm::takes_boxes(tile.pipeline); }
    constexpr int registers() const { return tile.registers(facts(arch)); }
    constexpr int blocks_at_once() const { return tile.blocks_at_once(facts(arch)); }
    constexpr int lds_bytes() const { return tile.lds_bytes(); }
};

// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(const violation v = conv::check_convolution(c.spatial, c.tile, t, c.access()))
        return v;
    return conv::check_rows(c.spatial, c.rows, c.tile);
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_fwd
