// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight, as an implicit GEMM over views.
//
// Per group: dW [m = K, n = taps x C] = sum over pixels l = (image, output position) of dY [m, l] * X [n, l], where X is
// seen through the windows of the convolution. The reduction over l is split; each split owns a range of pixels.
#pragma once

#include "ops/grouped_conv_bwd_weight/config.hpp"

#include <cstdint>

namespace ck_tile::grouped_conv_bwd_weight
{

// The problem as the kernels see it: three spatial dimensions, of which a config uses the last ones; strides in elements.
struct arguments
{
    const void* in;
    const void* out;
    void* wei;
    float* partials; // [splits][groups][K][taps * C]; null when there is one split, which then writes dW itself

    int groups, batch, k, c;
    multi_index<3> filter, input, output, stride, dilation, left_pad, right_pad;
    std::int64_t in_group, in_image, out_group, out_image;
    multi_index<3> in_spatial;
    int in_channel, out_channel, out_pixel;

    int splits;
    int pixels_per_split; // the last split may be shorter
    int tiles_m, tiles_n;
};

template <config C>
struct program
{
    static_assert(!check(C), "grouped_conv_bwd_weight: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr gemm::shape shape = C.shape();
    static constexpr int threads       = shape.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype>;
    using arguments                    = grouped_conv_bwd_weight::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto [tile_m, tile_n, group, split] = unmerge_block(b.at.x, a);
        const pixel_range pixels                  = pixels_of(split, a);

        const auto out = out_window(b, out_matrix(a, group, pixels), multi_index{tile_m * C.block.m, pixels.begin});
        const auto in  = make_lookup_window<C.in_transfer().memory, C.in_classes()>(
            in_matrix(a, group, pixels), multi_index{tile_n * C.block.n, pixels.begin},
            b.lds_at<unsigned>(in_table_at));

        auto acc = accumulators<shape>();
        gemm::run_pipeline<shape, C.loop(), C.out_transfer().lds, C.in_transfer().lds>(
            b, acc, out, in, ceil_div(pixels.end - pixels.begin, C.block.k));

        const multi_index<2> origin = {tile_m * C.block.m, tile_n * C.block.n};
        const bool whole            = C.split == split_k::one_split || a.splits == 1;
        const int part              = whole ? 0 : split * a.groups + group;
        const auto wei              = weights(static_cast<element*>(a.wei), a, group);
        if constexpr(C.split == split_k::one_split)
            store_result(b, acc, wei, origin);
        else if constexpr(C.dtype == data_type::fp32)
            store_result(b, acc, whole ? wei : weights(a.partials, a, part), origin);
        else if constexpr(C.epilogue == gemm::epilogue::direct)
            whole ? gemm::store_directly<shape>(acc, wei, origin)
                  : gemm::store_directly<shape>(acc, weights(a.partials, a, part), origin);
        else
        {
            auto sums     = gemm::make_strip_writer<shape, C.vector.wei>(wei, origin);
            auto partials = gemm::make_strip_writer<shape, partial_vector>(weights(a.partials, a, part), origin);
            gemm::each_strip<shape>(b, acc,
                                    [&](const auto& strip) { whole ? sums.write(strip) : partials.write(strip); });
        }
    }

  private:
    // Partials are fp32: as many elements as dW's vector, 16 bytes at most.
    static constexpr int partial_vector = C.vector.wei < 4 ? C.vector.wei : 4;
    static constexpr int in_table_at = C.in_table_at(), out_table_at = C.out_table_at();
    static constexpr int s     = C.spatial;
    static constexpr int first = 3 - s; // of the spatial dimensions that are used

    static CK_TILE_FN void store_result(const block& b, const auto& acc, const auto& to, const multi_index<2>& origin)
    {
        if constexpr(C.epilogue == gemm::epilogue::direct)
            gemm::store_directly<shape>(acc, to, origin);
        else
            gemm::store_through_lds<shape, C.vector.wei>(b, acc, to, origin);
    }

    struct place
    {
        int tile_m, tile_n, group, split;
    };

    // Tiles of one group and split are neighbours: they share dY and X in the cache.
    static CK_TILE_FN place unmerge_block(unsigned number, const arguments& a)
    {
        const auto digits = merge<4>{{a.splits, a.groups, a.tiles_n, a.tiles_m}}.map({static_cast<int>(number)});
        return {digits[3], digits[2], digits[1], digits[0]};
    }

    // The pixels of a split, counted from the start of its first image, so that offsets fit 32 bits.
    struct pixel_range
    {
        int image, images; // that the split touches
        int begin, end;
    };

    static CK_TILE_FN pixel_range pixels_of(int split, const arguments& a)
    {
        const int per_image       = product(a.output);
        const std::int64_t begin  = std::int64_t(split) * a.pixels_per_split;
        const std::int64_t all    = std::int64_t(a.batch) * per_image;
        const std::int64_t behind = begin + a.pixels_per_split;
        const std::int64_t end    = behind < all ? behind : all;
        const int image           = static_cast<int>(begin / per_image);
        const int last            = static_cast<int>((end + per_image - 1) / per_image);
        const std::int64_t start  = std::int64_t(image) * per_image;
        return {image, last - image, static_cast<int>(begin - start), static_cast<int>(end - start)};
    }

    // The dimensions of the convolution that this config uses.
    static CK_TILE_FN multi_index<s> used(const multi_index<3>& all)
    {
        multi_index<s> some;
        CK_TILE_UNROLL
        for(int d = 0; d < s; ++d)
            some[d] = all[first + d];
        return some;
    }

    // dY as [K, pixels]. Packed channels-last, pixels follow each other through all images; channels-first, through one.
    static CK_TILE_FN auto out_matrix(const arguments& a, int group, const pixel_range& pixels)
    {
        const int per_image = product(a.output);
        const auto* data    = static_cast<const element*>(a.out) + group * a.out_group + pixels.image * a.out_image;
        if constexpr(C.dense == innermost::channels)
        {
            const auto elements     = pixels.end > 0 ? std::int64_t(pixels.end - 1) * a.out_pixel + a.k : 0;
            const strided<2> memory = {{a.k, pixels.end}, {a.out_channel, a.out_pixel}};
            return tensor_view{
                data, elements,
                transform(memory, along<dims{0}, dims{0}>(pass_through{a.k}), along<dims{1}, dims{1}>(unbounded{}))};
        }
        else
        {
            const auto elements     = pixels.images * a.out_image; // at most: a group's part may end earlier
            const strided<3> images = {{a.k, pixels.images, per_image},
                                       {a.out_channel, static_cast<int>(a.out_image), a.out_pixel}};
            return tensor_view{data, elements,
                               transform(images, along<dims{0}, dims{0}>(pass_through{a.k}),
                                         along<dims{1, 2}, dims{1}>(merge<2>{{pixels.images, per_image}, pixels.end}))};
        }
    }

    static CK_TILE_FN auto out_window(const block& b, const auto& matrix, const multi_index<2>& origin)
    {
        constexpr distribution held = C.out_transfer().memory;
        if constexpr(C.out_is_looked_up())
            return make_lookup_window<held, 1>(matrix, origin, b.lds_at<unsigned>(out_table_at));
        else
            return make_window<held>(matrix, origin);
    }

    // X as [taps x C, pixels]: (image, spatial..., channel) in memory, padded, seen through the windows of the
    // convolution. Row n runs through the taps and channels in the order of dW, so that the result is a matrix in memory.
    static CK_TILE_FN auto in_matrix(const arguments& a, int group, const pixel_range& pixels)
    {
        return [&]<int... d>(std::integer_sequence<int, d...>) {
            const multi_index<s> in = used(a.input), out = used(a.output), taps = used(a.filter);
            const multi_index<s> left = used(a.left_pad), right = used(a.right_pad);
            const multi_index<s> stride = used(a.stride), dilation = used(a.dilation), strides = used(a.in_spatial);

            const strided<s + 2> memory = {{pixels.images, in[d]..., a.c},
                                           {static_cast<int>(a.in_image), strides[d]..., a.in_channel}};
            const auto image            = along<dims{0}, dims{0}>(pass_through{pixels.images});
            const auto padded =
                transform(memory, image, along<dims{1 + d}, dims{1 + d}>(pad{in[d], left[d], right[d]})...,
                          along<dims{s + 1}, dims{s + 1}>(pass_through{a.c}));
            const auto windows = transform(
                padded, image,
                along<dims{1 + d}, dims{1 + d, 1 + s + d}>(embed<2>{{out[d], taps[d]}, {stride[d], dilation[d]}})...,
                along<dims{s + 1}, dims{2 * s + 1}>(pass_through{a.c}));
            const auto pixel = along<dims{0, 1 + d...}, dims{1}>(merge<s + 1>{{pixels.images, out[d]...}, pixels.end});
            const auto row   = [&] {
                if constexpr(C.dense == innermost::channels)
                    return along<dims{1 + s + d..., 2 * s + 1}, dims{0}>(merge<s + 1>{{taps[d]..., a.c}});
                else
                    return along<dims{2 * s + 1, 1 + s + d...}, dims{0}>(merge<s + 1>{{a.c, taps[d]...}});
            }();

            const auto* data    = static_cast<const element*>(a.in) + group * a.in_group + pixels.image * a.in_image;
            const auto elements = pixels.images * a.in_image; // at most: a group's part may end earlier
            return tensor_view{data, elements, transform(windows, row, pixel)};
        }(std::make_integer_sequence<int, s>{});
    }

    // One group's [K, taps x C] matrix of dW or of the partials.
    template <class T>
    static CK_TILE_FN auto weights(T* data, const arguments& a, int matrix)
    {
        const multi_index<2> lengths = {a.k, product(a.filter) * a.c};
        const std::int64_t elements  = std::int64_t(lengths[0]) * lengths[1];
        return tensor_view{data + matrix * elements, elements, packed(lengths)};
    }
};

} // namespace ck_tile::grouped_conv_bwd_weight
