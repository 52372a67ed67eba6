// SPDX-License-Identifier: MIT
// Grouped convolution, forward, as an implicit GEMM over views.
//
// Per group: Y [m = (image, output position), n = K] = sum over l = (tap, input channel) of X [m, l] * W [n, l], where X is seen
// through the windows of the convolution; then bias, residual and activation.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_fwd/config.hpp"

namespace ck_tile::grouped_conv_fwd
{

using conv::innermost;

// y = activation(convolution + bias of the channel + residual), of which all but the first may be missing.
struct finish
{
    const void* bias;     // [groups, K]; null: none
    const void* residual; // as Y; null: none
    conv::activation activation;

    CK_TILE_FN bool changes_nothing() const
    {
        return bias == nullptr && residual == nullptr && activation == conv::activation::none;
    }
    CK_TILE_FN float operator()(float sum, float channel_bias, float shortcut) const
    {
        return activate(activation, sum + channel_bias + shortcut);
    }
};

struct arguments
{
    const void* in;
    const void* wei;
    void* out;
    float* partials; // [splits], each of Y's elements; null when there is one split, which then writes Y itself
    finish end;
    conv::arguments conv;
    int splits;
    int tiles_m, tiles_n;
    std::int64_t outputs; // elements of Y
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
    using arguments                    = grouped_conv_fwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto [tile_m, tile_n, group, split] = unmerge_block(b.at.x, a);
        const conv::pixel_range pixels =
            conv::range_of(std::int64_t(tile_m) * shape.m, shape.m, product(a.conv.output), a.conv.batch);
        const conv::reduction_range l = conv::reduction_of(split, a.splits, product(a.conv.filter) * a.conv.c, shape.k);
        const multi_index<2> origin   = {pixels.begin, tile_n * shape.n};

        auto acc = accumulators<shape>();
        gemm::run_pipeline<shape, C.tile.loop()>(b, acc, in_window(a, group, pixels, l.begin),
                                                 wei_window(a, group, {origin[1], l.begin}), l.steps);

        const auto out = out_matrix(static_cast<element*>(a.out), a, group, pixels);
        if(a.splits > 1)
            store_result(b, acc, out_matrix(a.partials + split * a.outputs, a, group, pixels), origin);
        else if(a.end.changes_nothing())
            store_result(b, acc, out, origin);
        else
            store_result(b, acc, out, origin, a.end, bias_matrix(a, group, pixels), residual_matrix(a, group, pixels));
    }

  private:
    static CK_TILE_FN void store_result(const block& b, const auto& acc, const auto& to, const multi_index<2>& origin,
                                        const auto&... finish_and_views)
    {
        if constexpr(C.tile.epilogue == gemm::epilogue::direct)
            gemm::store_directly<shape>(acc, to, origin, finish_and_views...);
        else
            gemm::store_through_lds<shape, C.vector.out>(b, acc, to, origin, finish_and_views...);
    }

    struct coord
    {
        int tile_m, tile_n, group, split;
    };

    // Tiles of the same pixels are neighbours: they share X in the cache.
    static CK_TILE_FN coord unmerge_block(unsigned block, const arguments& a)
    {
        const merge<4> all = {{a.splits, a.conv.groups, a.tiles_m, a.tiles_n}};
        const int number   = neighbours_on_one_chiplet<facts(arch).chiplets>(static_cast<int>(block), all.end);
        const auto digits  = all.map({number});
        return {digits[2], digits[3], digits[1], digits[0]};
    }

    // X as [pixels, taps x C]
    static CK_TILE_FN auto in_window(const arguments& a, int group, const conv::pixel_range& pixels, int term)
    {
        const auto* data = conv::part_of(static_cast<const element*>(a.in), a.conv.in, group, pixels.image);
        const auto x     = conv::input_windows<C.spatial>(a.conv, pixels.images);
        const tensor_view matrix{data, pixels.images * a.conv.in.image, // at most: a group's part may end earlier
                                 x.template positions_by_taps<innermost::channels>(pixels.end)};
        return make_window<C.in_copy()>(matrix, multi_index{pixels.begin, term});
    }

    // W as [K, taps x C]
    static CK_TILE_FN auto wei_window(const arguments& a, int group, const multi_index<2>& origin)
    {
        const auto matrix = conv::weight_matrix(static_cast<const element*>(a.wei), a.conv, group);
        return make_window<C.wei_copy()>(matrix, origin);
    }

    // Y, or what is like it, as [pixels, K]
    template <class T>
    static CK_TILE_FN auto out_matrix(T* out, const arguments& a, int group, const conv::pixel_range& pixels)
    {
        return conv::pixel_matrix<innermost::channels, 1>(conv::part_of(out, a.conv.out, group, pixels.image), a.conv.out,
                                                          a.conv.k, product(a.conv.output), pixels.images, pixels.end);
    }
    static CK_TILE_FN auto residual_matrix(const arguments& a, int group, const conv::pixel_range& pixels)
    {
        auto matrix     = out_matrix(static_cast<const element*>(a.end.residual), a, group, pixels);
        matrix.elements = a.end.residual != nullptr ? matrix.elements : 0; // all zeros
        return matrix;
    }

    // The bias of each channel, for all pixels.
    static CK_TILE_FN auto bias_matrix(const arguments& a, int group, const conv::pixel_range& pixels)
    {
        const auto* data = static_cast<const element*>(a.end.bias) + std::int64_t(group) * a.conv.k;
        return tensor_view{data, std::int64_t(a.end.bias != nullptr ? a.conv.k : 0),
                           strided<2>{{pixels.end, a.conv.k}, {0, 1}}};
    }
};

} // namespace ck_tile::grouped_conv_fwd
