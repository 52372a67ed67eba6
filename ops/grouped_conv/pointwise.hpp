// SPDX-License-Identifier: MIT
// Pointwise convolutions, of filter and stride 1 and without pads, of channels-first images: products of the weights and of images as they
// lie, whose pixels are columns.
//
// Per group: Y [m = channel of Y, n = (image, pixel)] = sum over l = channel of X of W [m, l] * X [n, l]. Backward data is the same, of dY
// and of W turned, which is how W is read.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/config.hpp"
#include "ops/grouped_conv/finish.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv/views.hpp"

namespace ck_tile::conv
{

template <class Finish>
struct pointwise_arguments
{
    const void* wei;
    const void* from; // X or dY
    void* to;         // Y or dX
    Finish end;       // what becomes of a sum
    image_strides from_strides, to_strides;
    int groups, batch, rows, depth; // channels of the result, and of what the weights are multiplied by
    multi_index<2> wei_strides;     // of W as [rows, depth]
    std::int64_t wei_group;         // elements of a group's W
    divider by_pixels;              // of an image
    merge<3, dividers<3>> order;    // of tiles: groups, columns and rows of the result
    gemm::stream_k work;            // how blocks make them,
    gemm::partial_tiles shared;     // and where the sums of shares are
};

// Weights as rows and images as columns. Vectors: elements that one access moves of them.
template <architecture Arch, gemm::tile_config Tile, majorness WeiMajor, int WeiVector, int ImageVector, class Finish>
struct pointwise_program
{
    static constexpr architecture arch = Arch;
    static constexpr gemm::shape shape = Tile.shape();
    static constexpr int threads       = Tile.threads();
    static constexpr int lds_bytes     = Tile.lds_bytes();
    static constexpr int registers     = Tile.registers(facts(Arch));
    using element                      = element_t<Tile.dtype()>;
    using arguments                    = pointwise_arguments<Finish>;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        gemm::run_tiles<shape, Tile.loop(), registers>(b, tiles{b, a}, static_cast<int>(b.at.x), a.work.count(),
                                                       a.work.blocks);
    }

  private:
    // Of the result.
    struct coord
    {
        int group;
        gemm::tile_share share;
        pixel_range pixels;
        reduction_range l;
        multi_index<2> origin;
    };

    struct tiles
    {
        const block& in;
        const arguments& args;

        // Tiles of the same pixels are neighbours: they share the images in the cache.
        CK_TILE_FN coord at(int number) const
        {
            const gemm::tile_share share = args.work.template share<gemm::is_persistent(Tile.pipeline)>(number);
            const auto digits =
                args.order.map({neighbours_on_one_chiplet<facts(arch).chiplets>(share.tile, args.order.end)});
            const pixel_range pixels =
                range_of(std::int64_t(digits[1]) * shape.n, shape.n, dividers<1>{args.by_pixels}, args.batch);
            return {.group  = digits[0],
                    .share  = share,
                    .pixels = pixels,
                    .l      = reduction_of(share, 0, 1, args.depth, shape.k),
                    .origin = {digits[2] * shape.m, pixels.begin}};
        }
        CK_TILE_FN int steps(const coord& p) const { return p.l.steps; }
        CK_TILE_FN gemm::tile_share share(const coord& p) const { return p.share; }
        CK_TILE_FN gemm::partial_tiles partials() const { return args.shared; }

        CK_TILE_FN auto a(const coord& p) const
        {
            constexpr distribution copy = gemm::tiled_copy(Tile, shape.m, WeiMajor, WeiVector);
            const tensor_view wei{static_cast<const element*>(args.wei) + p.group * args.wei_group, args.wei_group,
                                  strided<2>{{args.rows, args.depth}, args.wei_strides}};
            return make_gather_window<copy>(wei, multi_index{p.origin[0], p.l.begin});
        }

        CK_TILE_FN auto b(const coord& p) const
        {
            constexpr distribution copy = gemm::tiled_copy(Tile, shape.n, majorness::mn, ImageVector);
            const auto* data =
                part_of(static_cast<const element*>(args.from), args.from_strides, p.group, p.pixels.image);
            return make_gather_window<copy>(
                image_matrix<1>(data, args.from_strides, args.depth, args.by_pixels, p.pixels),
                multi_index{p.pixels.begin, p.l.begin});
        }

        CK_TILE_FN void store(const coord& p, const auto& acc) const
        {
            const auto write = [&](const auto& product,
                                   const auto&... finish_and_views) __attribute__((always_inline)) {
                gemm::store_result<Tile, ImageVector>(in, product, to_matrix(static_cast<element*>(args.to), p),
                                                      p.origin, finish_and_views...);
            };
            if constexpr(std::is_same_v<Finish, leave>)
                write(acc);
            else
                write_finished<Tile, 0, element, 1>(
                    args.end, acc, args.rows, p.group, p.origin[0], [&] { return bias_matrix(p); },
                    [&] { return residual_matrix(p); }, write);
        }

        template <class T>
        CK_TILE_FN auto to_matrix(T* data, const coord& p) const
        {
            return image_matrix<0>(part_of(data, args.to_strides, p.group, p.pixels.image), args.to_strides, args.rows,
                                   args.by_pixels, p.pixels);
        }
        CK_TILE_FN auto residual_matrix(const coord& p) const
        {
            auto matrix     = to_matrix(static_cast<const element*>(args.end.residual), p);
            matrix.elements = args.end.residual != nullptr ? matrix.elements : 0; // all zeros
            return matrix;
        }

        // The bias of each channel, for all pixels.
        CK_TILE_FN auto bias_matrix(const coord& p) const
        {
            const auto* data = offset_by(static_cast<const element*>(args.end.bias), std::int64_t(p.group) * args.rows);
            return repeated<1>(tensor_view{data, std::int64_t(args.end.bias != nullptr ? args.rows : 0),
                                           packed(multi_index{args.rows})});
        }
    };
};

} // namespace ck_tile::conv
