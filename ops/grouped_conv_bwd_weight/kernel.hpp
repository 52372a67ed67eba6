// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight, as an implicit GEMM over views.
//
// Per group: dW [m = K, n = taps x C] = sum over pixels l = (image, output position) of dY [m, l] * X [n, l], where X is
// seen through the windows of the convolution. The reduction over l is split; each split owns a range of pixels.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

struct arguments
{
    conv::operand_boxes<1> boxes; // of dY and X, of instances that take them
    const void* in;
    const void* out;
    void* wei;
    float* partials; // [splits][groups][K][taps * C]; null when there is one split, which then writes dW itself
    conv::arguments conv;
    int splits;
    int pixels_per_split;        // the last split may be shorter
    merge<4, dividers<4>> order; // of tiles: splits, groups, columns and rows of dW, but that a short row is last:
    int short_from, short_row;   // its first tile, and its number
    gemm::stream_k work;         // how blocks make them,
    gemm::partial_tiles shared;  // and where the sums of shares are
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
    static constexpr int map_at        = offsetof(arguments, boxes),
                         maps          = C.takes_boxes() ? sizeof(arguments::boxes) / sizeof(tensor_map) : 0;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        gemm::run_tiles<shape, C.tile.loop(), registers>(b, tiles{b, a}, static_cast<int>(b.at.x), a.work.count(),
                                                         a.work.blocks);
    }

  private:
    static constexpr int in_table_at = C.in_table_at();

    // Of the result.
    struct coord
    {
        int group, split;
        gemm::tile_share share;
        conv::pixel_range pixels;
        multi_index<2> origin;
    };

    struct tiles
    {
        const block& in;
        const arguments& args;

        // Tiles of one group and split are neighbours: they share dY and X in the cache. Those of a short row, which take less time, fill
        // what others leave.
        CK_TILE_FN coord at(int number) const
        {
            const gemm::tile_share share = args.work.share<gemm::is_persistent(C.tile.pipeline)>(number);
            const int tile               = neighbours_on_one_chiplet<facts(arch).chiplets>(share.tile, args.work.tiles),
                      behind             = tile - args.short_from;
            const bool whole             = behind < 0;
            const auto digits            = args.order.map({whole ? tile : behind * args.order.extents[3].divisor});
            const int row                = whole ? digits[3] : args.short_row;
            const int pixels             = share.shares == 1  ? args.pixels_per_split
                                           : share.steps == 0 ? 1 // a range has one
                                                              : share.steps * shape.k;
            return {.group  = digits[1],
                    .split  = digits[0],
                    .share  = share,
                    .pixels = conv::range_of(std::int64_t(digits[0]) * args.pixels_per_split +
                                                 std::int64_t(share.first) * shape.k,
                                             pixels, args.conv.by_output, args.conv.batch),
                    .origin = {row * shape.m, digits[2] * shape.n}};
        }
        CK_TILE_FN int rows(const coord& p) const { return args.conv.k - p.origin[0]; }
        CK_TILE_FN gemm::tile_share share(const coord& p) const { return p.share; }
        CK_TILE_FN gemm::partial_tiles partials() const { return args.shared; }
        CK_TILE_FN int steps(const coord& p) const
        {
            const int own = p.pixels.end - p.pixels.begin; // no more than none, of a split behind the last pixel
            return p.share.shares != 1 ? p.share.steps : own > 0 ? ceil_div(own, shape.k) : 0;
        }

        // dY as [K, pixels], from channel `row` on
        CK_TILE_FN auto a(const coord& p) const
        {
            const conv::arguments& c = args.conv;
            const auto* data = conv::part_of(static_cast<const element*>(args.out), c.out, p.group, p.pixels.image);
            if constexpr(C.is_pointwise())
                return make_gather_window<C.out_copy()>(conv::image_matrix<0>(data, c.out, c.k, c.by_pixels, p.pixels),
                                                        multi_index{p.origin[0], p.pixels.begin});
            else if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.out_copy()>(
                    args.boxes.matrix, c.k, {p.origin[0], p.pixels.image * c.by_pixels.divisor + p.pixels.begin},
                    conv::pixel_box{p.group});
            else
                return make_window<C.out_copy()>(conv::pixel_matrix<0>(data, c.out, c.k, p.pixels.end),
                                                 multi_index{p.origin[0], p.pixels.begin});
        }

        // X as [taps * C, pixels]; the rows are in the order of dW, so that the result is a matrix in memory
        CK_TILE_FN auto b(const coord& p) const
        {
            const conv::arguments& c = args.conv;
            const auto* data = conv::part_of(static_cast<const element*>(args.in), c.in, p.group, p.pixels.image);
            const multi_index origin = {p.origin[1], p.pixels.begin};
            if constexpr(C.is_pointwise())
                return make_gather_window<C.in_copy()>(conv::image_matrix<0>(data, c.in, c.c, c.by_pixels, p.pixels),
                                                       origin);
            else if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.in_copy()>(
                    args.boxes.windows[0], product(c.filter) * c.c, origin,
                    conv::input_tap_box<shape.n / conv::box_elements>(c, p.pixels, p.group, p.origin[1]));
            else
            {
                const auto x = conv::input_windows<C.spatial>(c, p.pixels.images);
                const tensor_view matrix{data, p.pixels.images * c.in.image, // at most: a group's part may end earlier
                                         x.taps_by_positions(p.pixels.end)};
                return make_lookup_window<C.in_copy(), C.in_classes()>(matrix, origin,
                                                                       in.lds_at<unsigned>(in_table_at));
            }
        }

        CK_TILE_FN void store(const coord& p, const auto& acc) const
        {
            const bool whole = C.split == split_k::one_split || args.splits == 1;
            const int matrix = whole ? 0 : p.split * args.conv.groups + p.group;
            const auto wei   = conv::weight_matrix(static_cast<element*>(args.wei), args.conv, p.group);
            if constexpr(C.split == split_k::one_split)
                write(acc, wei, p.origin);
            else if constexpr(C.dtype() == data_type::fp32)
                write(acc, whole ? wei : conv::weight_matrix(args.partials, args.conv, matrix), p.origin);
            else if constexpr(C.tile.epilogue == gemm::epilogue::through_lds)
            {
                // One loop over the strips for both.
                auto sums     = gemm::make_strip_writer<shape, C.vector.wei>(wei, p.origin);
                auto partials = gemm::make_strip_writer<shape, C.vector.wei>(
                    conv::weight_matrix(args.partials, args.conv, matrix), p.origin);
                gemm::each_strip<shape>(in, acc,
                                        [&](const auto& strip) { whole ? sums.write(strip) : partials.write(strip); });
            }
            else
                whole ? write(acc, wei, p.origin)
                      : write(acc, conv::weight_matrix(args.partials, args.conv, matrix), p.origin);
        }

        CK_TILE_FN void write(const auto& acc, const auto& to, const multi_index<2>& origin) const
        {
            gemm::store_result<C.tile, C.vector.wei, C.table_bytes()>(in, acc, to, origin);
        }
    };
};

} // namespace ck_tile::grouped_conv_bwd_weight
