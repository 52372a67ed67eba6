// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ops/grouped_conv/arguments.hpp"
#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

using conv::innermost;

// Whether an instance can split the reduction: one that cannot has no code for partial sums.
enum class split_k
{
    any_split,
    one_split
};

} // namespace ck_tile::grouped_conv_bwd_weight

template <>
struct ck_tile::enumerators<ck_tile::grouped_conv_bwd_weight::split_k>
{
    using enum grouped_conv_bwd_weight::split_k;
    static constexpr const char* type                                   = "split_k";
    static constexpr enumerator<grouped_conv_bwd_weight::split_k> all[] = {{any_split, "any_split"},
                                                                           {one_split, "one_split"}};
};

namespace ck_tile::grouped_conv_bwd_weight
{

struct config
{
    architecture arch;
    int spatial; // dimensions of the convolution, 1 to 3; problems of fewer run with lengths of 1 in front
    innermost dense;
    gemm::tile_config tile; // m: output channels, n: taps x input channels, k: output pixels
    split_k split;
    conv::vector_widths vector;

    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr majorness major() const { return dense == innermost::channels ? majorness::mn : majorness::k; }
    constexpr gemm::operand_access access() const
    {
        return {.a = {major(), vector.out}, .b = {major(), vector.in}, .result = vector.wei};
    }
    constexpr distribution out_copy() const
    {
        return gemm::tiled_copy(tile.shape(), tile.block.m, major(), vector.out);
    }
    constexpr distribution in_copy() const { return gemm::tiled_copy(tile.shape(), tile.block.n, major(), vector.in); }

    // Tables that tell where pixels are: of X, whose rows of one filter tap are a class; of dY, where pixels do not follow
    // each other through all images.
    constexpr int in_classes() const { return dense == innermost::channels ? tile.block.n / vector.in : tile.block.n; }
    constexpr lookup_table in_table() const { return {in_copy(), in_classes()}; }
    constexpr lookup_table out_table() const { return {out_copy(), 1}; }
    constexpr bool out_is_looked_up() const { return dense == innermost::spatial; }
    constexpr int in_table_at() const { return gemm::main_loop_lds_bytes(tile.shape(), tile.loop()); }
    constexpr int out_table_at() const { return in_table_at() + in_table().bytes(); }
    constexpr int table_bytes() const { return in_table().bytes() + (out_is_looked_up() ? out_table().bytes() : 0); }
    // Where one element is moved at a time, what hides its way is more blocks: of 16-bit types four on a compute unit.
    constexpr int registers() const
    {
        const bool single = tile.epilogue == gemm::epilogue::direct && bytes_of(dtype()) == 2;
        return single ? facts(arch).compute_unit_registers / (4 * tile.threads()) : 0;
    }
    constexpr int lds_bytes() const { return tile.lds_bytes(table_bytes()); }
};

// What is legal beside the rules of the matrix product; static_assert, the dispatcher and the generator ask it. `t` are the
// facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(const violation v = conv::check_convolution(c.spatial, c.tile))
        return v;
    if(c.dense == innermost::spatial && c.vector.in != 1)
        return {"pixels of X that a window makes neighbours need not be so in memory", c.vector.in,
                "use vector.in = 1 where the pixels are dense"};
    if(const violation v = gemm::check(c.tile, t, c.access()))
        return v;
    for(const lookup_table& table : {c.in_table(), c.out_table()})
        if(const violation v = conv::check_table(c.tile, table))
            return v;
    return gemm::check_lds(c.tile, t, c.table_bytes());
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_bwd_weight
