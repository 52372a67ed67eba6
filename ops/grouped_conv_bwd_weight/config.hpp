// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ops/grouped_conv/config.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

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
    int spatial;            // dimensions of the convolution, see conv::check_convolution()
    gemm::tile_config tile; // m: output channels, n: taps x input channels, k: output pixels
    split_k split;
    conv::vector_widths vector;

    constexpr bool is_pointwise() const { return spatial == 0; }
    // Along which images are contiguous: channels, or pixels.
    constexpr majorness images_major() const { return is_pointwise() ? majorness::k : majorness::mn; }
    constexpr data_type dtype() const { return tile.dtype(); }
    constexpr gemm::operand_access access() const
    {
        return {.a = {images_major(), vector.out}, .b = {images_major(), vector.in}, .result = vector.wei};
    }
    constexpr distribution out_copy() const { return gemm::tiled_copy(tile, tile.block.m, images_major(), vector.out); }
    constexpr distribution in_copy() const { return gemm::tiled_copy(tile, tile.block.n, images_major(), vector.in); }

    // A table that tells where pixels of X are, whose rows of one filter tap are a class.
    constexpr int in_classes() const { return tile.block.n / vector.in; }
    constexpr lookup_table in_table() const { return {in_copy(), in_classes()}; }
    constexpr int table_bytes() const { return is_pointwise() || takes_boxes() ? 0 : in_table().bytes(); }
    constexpr int in_table_at() const { return gemm::main_loop_lds_bytes(tile.shape(), tile.loop()); }
    constexpr bool takes_boxes() const { return gemm::takes_boxes(tile.pipeline); }
    // Where one element is moved at a time, what hides its way is more blocks: of 16-bit types four on a compute unit.
    constexpr int registers() const
    {
        const bool single = tile.epilogue == gemm::epilogue::direct && bytes_of(dtype()) == 2;
        return single ? facts(arch).compute_unit_registers / (4 * tile.threads())
                      : tile.registers(facts(arch), table_bytes());
    }
    constexpr int blocks_at_once() const { return tile.blocks_at_once(facts(arch), table_bytes()); }
    constexpr int lds_bytes() const { return tile.lds_bytes(table_bytes()); }
};

// What is legal beside the rules of the matrix product; static_assert, the dispatcher and the generator ask it. `t` are the
// facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(const violation v = conv::check_convolution(c.spatial, c.tile, t, c.access()))
        return v;
    if(c.is_pointwise())
        return gemm::check_lds(c.tile, t);
    const int threads = c.tile.copying_threads(), positions = c.in_table().positions;
    if(positions % threads != 0 && threads % positions != 0)
        return {"the threads must share the positions of a lookup table evenly", positions,
                "use a power of two of waves"};
    if(c.tile.pipeline == gemm::pipeline::async_stages && c.tile.stages - 2 >= positions / c.tile.block.k)
        return {"fewer steps must be copied ahead than a lookup table tells at once", c.tile.stages,
                "use fewer stages or a smaller block.k"};
    return gemm::check_lds(c.tile, t, c.table_bytes());
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_bwd_weight
