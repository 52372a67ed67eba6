// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

struct config
{
    architecture arch;
    int spatial;            // dimensions of the convolution, 1 to 3; problems of fewer run with lengths of 1 in front
    gemm::tile_config tile; // m: input pixels of a residue class, n: input channels, k: taps x output channels
    conv::vector_widths vector;

    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr gemm::operand_access access() const
    {
        return {.a = {majorness::k, vector.out}, .b = {majorness::mn, vector.wei}, .result = vector.in};
    }
    constexpr distribution out_copy() const
    {
        return gemm::tiled_copy(tile.shape(), tile.block.m, majorness::k, vector.out);
    }
    constexpr distribution wei_copy() const
    {
        return gemm::tiled_copy(tile.shape(), tile.block.n, majorness::mn, vector.wei);
    }
    // Where the weights of a tap and an output channel are.
    constexpr lookup_table wei_table() const { return {wei_copy(), 1}; }
    constexpr int wei_table_at() const { return gemm::main_loop_lds_bytes(tile.shape(), tile.loop()); }
    constexpr int lds_bytes() const { return tile.lds_bytes(wei_table().bytes()); }
};

// What is legal beside the rules of the matrix product; `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(const violation v = conv::check_convolution(c.spatial, c.tile))
        return v;
    if(const violation v = gemm::check(c.tile, t, c.access()))
        return v;
    if(const violation v = conv::check_table(c.tile, c.wei_table()))
        return v;
    return gemm::check_lds(c.tile, t, c.wei_table().bytes());
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_bwd_data
