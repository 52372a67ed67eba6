// SPDX-License-Identifier: MIT
// Grouped convolution, forward, as an implicit GEMM over views.
//
// Per group: Y [m = (image, output position), n = K] = sum over l = (tap, input channel) of X [m, l] * W [n, l], where X is seen
// through the windows of the convolution; then bias, residual and activation.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv/finish.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/pointwise.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_fwd/config.hpp"

namespace ck_tile::grouped_conv_fwd
{

using conv::finish;

struct arguments
{
    conv::operand_boxes<1> boxes; // of W and X, of instances that take them
    const void* in;
    const void* wei;
    void* out;
    float* partials; // [splits], each of Y's elements; null when there is one split, which then writes Y itself
    finish end;
    conv::arguments conv;
    divider splits;
    merge<4, dividers<4>> order; // of tiles: splits, groups, rows and columns of Y
    gemm::stream_k work;         // how blocks make them,
    gemm::partial_tiles shared;  // and where the sums of shares are
    int wei_steps;               // of the main loop, if a block's tiles have the same W; else 0
    std::int64_t outputs;        // elements of Y
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
    using arguments                    = grouped_conv_fwd::arguments;
    static constexpr int map_at        = offsetof(arguments, boxes),
                         maps          = C.takes_boxes() ? sizeof(arguments::boxes) / sizeof(tensor_map) : 0;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        gemm::run_tiles<shape, C.tile.loop(), registers>(b, tiles{b, a}, static_cast<int>(b.at.x), a.work.count(),
                                                         a.work.blocks);
    }

  private:
    // Of the result.
    struct coord
    {
        int group, split;
        gemm::tile_share share;
        conv::pixel_range pixels;
        conv::reduction_range l;
        multi_index<2> origin;
    };

    struct tiles
    {
        const block& in;
        const arguments& args;

        // Tiles of the same pixels are neighbours: they share X in the cache.
        CK_TILE_FN coord at(int number) const
        {
            const gemm::tile_share share = args.work.share<gemm::is_persistent(C.tile.pipeline)>(number);
            const auto digits =
                args.order.map({neighbours_on_one_chiplet<facts(arch).chiplets>(share.tile, args.order.end)});
            const conv::pixel_range pixels = conv::range_of(std::int64_t(digits[2]) * C.tile_pixels(), C.tile_pixels(),
                                                            args.conv.by_output, args.conv.batch);
            return {.group  = digits[1],
                    .split  = digits[0],
                    .share  = share,
                    .pixels = pixels,
                    .l      = conv::reduction_of(share, digits[0], args.splits, product(args.conv.filter) * args.conv.c,
                                                 shape.k),
                    .origin = {pixels.begin, digits[3] * C.tile_channels()}};
        }
        CK_TILE_FN int steps(const coord& p) const { return p.l.steps; }
        CK_TILE_FN gemm::tile_share share(const coord& p) const { return p.share; }
        CK_TILE_FN gemm::partial_tiles partials() const { return args.shared; }
        CK_TILE_FN bool b_stays(int stages) const { return args.wei_steps > 0 && stages % args.wei_steps == 0; }

        CK_TILE_FN auto a(const coord& p) const { return conv::operand_of_rows<C.rows>(*this, p); }
        CK_TILE_FN auto b(const coord& p) const { return conv::operand_of_columns<C.rows>(*this, p); }

        // X as [pixels, taps x C]
        CK_TILE_FN auto windows(const coord& p) const
        {
            const multi_index origin = {p.pixels.begin, p.l.begin};
            if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.in_copy()>(
                    args.boxes.windows[0], conv::all_rows, origin,
                    conv::input_window_box(args.conv, p.pixels, p.group));
            else
            {
                const auto* data =
                    conv::part_of(static_cast<const element*>(args.in), args.conv.in, p.group, p.pixels.image);
                const auto x = conv::input_windows<C.spatial>(args.conv, p.pixels.images);
                const tensor_view matrix{
                    data, p.pixels.images * args.conv.in.image, // at most: a group's part may end earlier
                    x.positions_by_taps(p.pixels.end)};
                return conv::window_of_rows<C.in_copy()>(matrix, origin);
            }
        }

        // W as [K, taps x C]
        CK_TILE_FN auto weights(const coord& p) const
        {
            const multi_index origin = {p.origin[1], p.l.begin};
            if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.wei_copy()>(args.boxes.matrix, conv::all_rows, origin,
                                                                     conv::weight_row_box{p.group});
            else
            {
                const auto matrix = conv::weight_rows(static_cast<const element*>(args.wei), args.conv, p.group);
                return conv::window_of_rows<C.wei_copy()>(matrix, origin);
            }
        }

        CK_TILE_FN void store(const coord& p, const auto& acc) const
        {
            const auto write = [&](auto* to, const auto& product, const auto&... finish_and_views)
                                   __attribute__((always_inline)) {
                                       gemm::store_result<C.tile, C.vector.out, 0, !C.has_pixel_rows()>(
                                           in, product, out_matrix(to, p), p.origin, finish_and_views...);
                                   };
            if(args.splits.divisor > 1)
                write(args.partials + p.split * args.outputs, acc);
            else
                conv::write_finished<C.tile, C.has_pixel_rows() ? 1 : 0, element, C.vector.out>(
                    args.end, acc, args.conv.k, p.group, p.origin[1], [&] { return bias_matrix(p); },
                    [&] { return residual_matrix(p); },
                    [&](const auto&... finished)
                        __attribute__((always_inline)) { write(static_cast<element*>(args.out), finished...); });
        }

        // Y, or what is like it, as [pixels, K]
        template <class T>
        CK_TILE_FN auto out_matrix(T* out, const coord& p) const
        {
            const conv::arguments& c = args.conv;
            return conv::pixel_matrix<1>(conv::part_of(out, c.out, p.group, p.pixels.image), c.out, c.k, p.pixels.end);
        }
        CK_TILE_FN auto residual_matrix(const coord& p) const
        {
            auto matrix     = out_matrix(static_cast<const element*>(args.end.residual), p);
            matrix.elements = args.end.residual != nullptr ? matrix.elements : 0; // all zeros
            return matrix;
        }

        // The bias of each channel, for all pixels.
        CK_TILE_FN auto bias_matrix(const coord& p) const
        {
            const int k      = args.conv.k;
            const auto* data = conv::offset_by(static_cast<const element*>(args.end.bias), std::int64_t(p.group) * k);
            return repeated<0>(
                tensor_view{data, std::int64_t(args.end.bias != nullptr ? k : 0), packed(multi_index{k})});
        }
    };
};

template <config C>
requires(C.is_pointwise())
struct program<C> : conv::pointwise_program<C.arch, C.tile, majorness::k, C.vector.wei, C.vector.in, finish>
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
};

} // namespace ck_tile::grouped_conv_fwd
