// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight, as an implicit GEMM over views.
//
// Per group: dW [m = K, n = taps x C] = sum over pixels l = (image, output position) of dY [m, l] * X [n, l], where X is
// seen through the windows of the convolution. The reduction over l is split; each split owns a range of pixels.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

struct arguments
{
    const void* in;
    const void* out;
    void* wei;
    float* partials; // [splits][groups][K][taps * C]; null when there is one split, which then writes dW itself
    conv::arguments conv;
    int splits;
    int pixels_per_split; // the last split may be shorter
    int tiles_m, tiles_n;
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
    static constexpr int registers     = C.registers();
    using element                      = element_t<C.dtype()>;
    using arguments                    = grouped_conv_bwd_weight::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto [tile_m, tile_n, group, split] = unmerge_block(b.at.x, a);
        const conv::pixel_range pixels =
            conv::range_of(std::int64_t(split) * a.pixels_per_split, a.pixels_per_split, product(a.conv.output), a.conv.batch);
        const multi_index<2> origin               = {tile_m * shape.m, tile_n * shape.n};
        const auto out                            = out_window(b, a, group, pixels, origin[0]);
        const auto in                             = in_window(b, a, group, pixels, origin[1]);

        auto acc = accumulators<shape>();
        gemm::run_pipeline<shape, C.tile.loop()>(b, acc, out, in, ceil_div(pixels.end - pixels.begin, shape.k));

        const bool whole = C.split == split_k::one_split || a.splits == 1;
        const int matrix = whole ? 0 : split * a.conv.groups + group;
        const auto wei   = conv::weight_matrix(static_cast<element*>(a.wei), a.conv, group);
        if constexpr(C.split == split_k::one_split)
            store_result(b, acc, wei, origin);
        else if constexpr(C.dtype() == data_type::fp32)
            store_result(b, acc, whole ? wei : conv::weight_matrix(a.partials, a.conv, matrix), origin);
        else if constexpr(C.tile.epilogue == gemm::epilogue::direct)
            whole ? gemm::store_directly<shape>(acc, wei, origin)
                  : gemm::store_directly<shape>(acc, conv::weight_matrix(a.partials, a.conv, matrix), origin);
        else
        {
            auto sums = gemm::make_strip_writer<shape, C.vector.wei>(wei, origin);
            auto partials =
                gemm::make_strip_writer<shape, C.vector.wei>(conv::weight_matrix(a.partials, a.conv, matrix), origin);
            gemm::each_strip<shape>(b, acc,
                                    [&](const auto& strip) { whole ? sums.write(strip) : partials.write(strip); });
        }
    }

  private:
    static constexpr int in_table_at = C.in_table_at(), out_table_at = C.out_table_at();

    static CK_TILE_FN void store_result(const block& b, const auto& acc, const auto& to, const multi_index<2>& origin)
    {
        if constexpr(C.tile.epilogue == gemm::epilogue::direct)
            gemm::store_directly<shape>(acc, to, origin);
        else
            gemm::store_through_lds<shape, C.vector.wei>(b, acc, to, origin);
    }

    struct coord
    {
        int tile_m, tile_n, group, split;
    };

    // Tiles of one group and split are neighbours: they share dY and X in the cache.
    static CK_TILE_FN coord unmerge_block(unsigned block, const arguments& a)
    {
        const merge<4> all = {{a.splits, a.conv.groups, a.tiles_n, a.tiles_m}};
        const int number   = neighbours_on_one_chiplet<facts(arch).chiplets>(static_cast<int>(block), all.end);
        const auto digits  = all.map({number});
        return {digits[3], digits[2], digits[1], digits[0]};
    }

    // dY as [K, pixels], from channel `row` on
    static CK_TILE_FN auto out_window(const block& b, const arguments& a, int group, const conv::pixel_range& pixels, int row)
    {
        constexpr distribution held = C.out_copy();
        const conv::arguments& c    = a.conv;
        const auto* data            = conv::part_of(static_cast<const element*>(a.out), c.out, group, pixels.image);
        const auto matrix =
            conv::pixel_matrix<C.dense, 0>(data, c.out, c.k, product(c.output), pixels.images, pixels.end);
        if constexpr(C.out_is_looked_up())
            return make_lookup_window<held, 1>(matrix, multi_index{row, pixels.begin},
                                               b.lds_at<unsigned>(out_table_at));
        else
            return make_window<held>(matrix, multi_index{row, pixels.begin});
    }

    // X as [taps * C, pixels]; the rows are in the order of dW, so that the result is a matrix in memory
    static CK_TILE_FN auto in_window(const block& b, const arguments& a, int group, const conv::pixel_range& pixels, int row)
    {
        const auto* data = conv::part_of(static_cast<const element*>(a.in), a.conv.in, group, pixels.image);
        const auto x     = conv::input_windows<C.spatial>(a.conv, pixels.images);
        const tensor_view matrix{data, pixels.images * a.conv.in.image, // at most: a group's part may end earlier
                                 x.template taps_by_positions<C.dense>(pixels.end)};
        return make_lookup_window<C.in_copy(), C.in_classes()>(matrix, multi_index{row, pixels.begin},
                                                               b.lds_at<unsigned>(in_table_at));
    }
};

} // namespace ck_tile::grouped_conv_bwd_weight
