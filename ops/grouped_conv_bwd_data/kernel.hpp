// SPDX-License-Identifier: MIT
// Grouped convolution, backward data, as implicit GEMMs over views: one for each residue class, all in one launch.
//
// Per group and class: dX [m = (image, input of the class), n = C] = sum over l = (tap of the class, output channel) of
// dY [m, l] * W [n, l], where dY is seen through the windows that lead from inputs back to outputs. A class without taps, and an
// input that no window reaches, have no terms and become zeros.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_bwd_data/config.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

using conv::innermost;

struct arguments
{
    const void* out;
    const void* wei;
    void* in;
    float* partials; // [splits], each of dX's elements; null when there is one split, which then writes dX itself
    conv::arguments conv;
    conv::residues along[3];
    int classes, splits;
    int tiles_m, tiles_n; // of the class with most inputs
    std::int64_t inputs;  // elements of dX
};

template <config C>
struct program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr gemm::shape shape = C.tile.shape();
    static constexpr int threads       = C.tile.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype()>;
    using arguments                    = grouped_conv_bwd_data::arguments;
    using residue_class                = conv::residue_class<C.spatial>;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto [tile_m, tile_n, group, split, number] = unmerge_block(b.at.x, a);
        const residue_class c                             = conv::class_of<C.spatial>(a.along, number);
        const std::int64_t first                          = std::int64_t(tile_m) * shape.m;
        if(c.positions() == 0 || first >= std::int64_t(a.conv.batch) * c.positions())
            return; // other classes have more inputs
        const conv::pixel_range inputs = conv::range_of(first, shape.m, c.positions(), a.conv.batch);
        const int channel              = tile_n * shape.n;

        auto acc = accumulators<shape>();
        if(const int terms = c.taps() * a.conv.k; terms > 0)
        {
            const conv::reduction_range l = conv::reduction_of(split, a.splits, terms, shape.k);
            gemm::run_pipeline<shape, C.tile.loop()>(b, acc, out_window(a, c, group, inputs, l.begin),
                                                     wei_window(b, a, c, group, {channel, l.begin}), l.steps);
        }

        if(a.splits == 1)
            store_result(b, acc, in_matrix(static_cast<element*>(a.in), a, c, group, inputs), {inputs.begin, channel});
        else
            store_result(b, acc, in_matrix(a.partials + split * a.inputs, a, c, group, inputs), {inputs.begin, channel});
    }

  private:
    static constexpr int wei_table_at = C.wei_table_at();

    static CK_TILE_FN void store_result(const block& b, const auto& acc, const auto& to, const multi_index<2>& origin)
    {
        if constexpr(C.tile.epilogue == gemm::epilogue::direct)
            gemm::store_directly<shape>(acc, to, origin);
        else
            gemm::store_through_lds<shape, C.vector.in>(b, acc, to, origin);
    }

    struct coord
    {
        int tile_m, tile_n, group, split, number;
    };

    // The longest classes first. Tiles of the same inputs are neighbours: they share dY in the cache.
    static CK_TILE_FN coord unmerge_block(unsigned block, const arguments& a)
    {
        const merge<5> all = {{a.classes, a.splits, a.conv.groups, a.tiles_m, a.tiles_n}};
        const int number   = neighbours_on_one_chiplet<facts(arch).chiplets>(static_cast<int>(block), all.end);
        const auto digits  = all.map({number});
        return {digits[3], digits[4], digits[2], digits[1], digits[0]};
    }

    // dY as [inputs of the class, taps x K]
    static CK_TILE_FN auto out_window(const arguments& a, const residue_class& c, int group,
                                      const conv::pixel_range& inputs, int term)
    {
        const auto* data = conv::part_of(static_cast<const element*>(a.out), a.conv.out, group, inputs.image);
        const auto y     = conv::class_windows<C.spatial>(a.conv, c, inputs.images);
        const tensor_view matrix{data, inputs.images * a.conv.out.image, // at most: a group's part may end earlier
                                 y.template positions_by_taps<innermost::channels>(inputs.end)};
        return make_window<C.out_copy()>(matrix, multi_index{inputs.begin, term});
    }

    // W as [C, taps x K]
    static CK_TILE_FN auto wei_window(const block& b, const arguments& a, const residue_class& c, int group,
                                      const multi_index<2>& origin)
    {
        const auto matrix = conv::class_weights<C.spatial, innermost::channels>(static_cast<const element*>(a.wei), a.conv, c, group);
        return make_lookup_window<C.wei_copy(), 1>(matrix, origin, b.lds_at<unsigned>(wei_table_at));
    }

    // dX as [inputs of the class, C]
    template <class T>
    static CK_TILE_FN auto in_matrix(T* in, const arguments& a, const residue_class& c, int group,
                                     const conv::pixel_range& inputs)
    {
        return conv::class_input(conv::part_of(in, a.conv.in, group, inputs.image), a.conv, c, inputs.images);
    }
};

} // namespace ck_tile::grouped_conv_bwd_data
