// SPDX-License-Identifier: MIT
// Grouped convolution, backward data, as implicit GEMMs over views: one for each residue class, all in one launch.
//
// Per group and class: dX [m = (image, input of the class), n = C] = sum over l = (tap of the class, output channel) of
// dY [m, l] * W [n, l], where dY is seen through the windows that lead from inputs back to outputs. A class without taps, and an
// input that no window reaches, have no terms and become zeros.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ops/grouped_conv/boxes.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/pointwise.hpp"
#include "ops/grouped_conv/views.hpp"
#include "ops/grouped_conv_bwd_data/config.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

struct arguments
{
    static constexpr int kinds_of_windows = 4;   // of classes, where boxes of them are copied
    conv::operand_boxes<kinds_of_windows> boxes; // of W and dY, of instances that take them
    const void* out;
    const void* wei;
    void* in;
    float* partials; // [splits], each of dX's elements; null when there is one split, which then writes dX itself
    conv::arguments conv;
    conv::residues along[3];
    divider splits;
    merge<5, dividers<5>> order; // of tiles: classes, splits, groups, rows and columns of the dX of a class
    gemm::stream_k work;         // how blocks make them,
    gemm::partial_tiles shared;  // and where the sums of shares are
    int wei_steps;               // of the main loop, if a block's tiles have the same W; else 0
    std::int64_t inputs;         // elements of dX
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
    using arguments                    = grouped_conv_bwd_data::arguments;
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
        conv::residue_class<C.spatial> residues;
        int number, group, split; // of the class, ...
        gemm::tile_share share;
        conv::pixel_range inputs; // none where other classes have more
        conv::reduction_range l;
        multi_index<2> origin;
    };

    struct tiles
    {
        const block& in;
        const arguments& args;

        // The longest classes first. Tiles of the same inputs are neighbours: they share dY in the cache.
        CK_TILE_FN coord at(int number) const
        {
            const gemm::tile_share share = args.work.share<gemm::is_persistent(C.tile.pipeline)>(number);
            const auto digits =
                args.order.map({neighbours_on_one_chiplet<facts(arch).chiplets>(share.tile, args.order.end)});
            const auto residues      = conv::class_of<C.spatial>(args.along, digits[0]);
            const int inputs         = residues.positions();
            coord p                  = {.residues = residues,
                                        .number   = digits[0],
                                        .group    = digits[2],
                                        .split    = digits[1],
                                        .share    = share,
                                        .inputs   = {0, 0, 0, 0},
                                        .l        = {0, 0},
                                        .origin   = {0, digits[4] * C.tile_channels()}};
            const std::int64_t first = std::int64_t(digits[3]) * C.tile_pixels();
            if(first >= std::int64_t(args.conv.batch) * inputs)
                return p;
            p.inputs    = conv::range_of(first, C.tile_pixels(), residues.by_positions(), args.conv.batch);
            p.l         = conv::reduction_of(share, p.split, args.splits, residues.taps() * args.conv.k, shape.k);
            p.origin[0] = p.inputs.begin;
            return p;
        }
        CK_TILE_FN int steps(const coord& p) const { return p.l.steps; }
        CK_TILE_FN gemm::tile_share share(const coord& p) const { return p.share; }
        CK_TILE_FN gemm::partial_tiles partials() const { return args.shared; }
        CK_TILE_FN bool b_stays(int stages) const { return args.wei_steps > 0 && stages % args.wei_steps == 0; }

        CK_TILE_FN auto a(const coord& p) const { return conv::operand_of_rows<C.rows>(*this, p); }
        CK_TILE_FN auto b(const coord& p) const { return conv::operand_of_columns<C.rows>(*this, p); }

        // dY as [inputs of the class, taps x K]
        CK_TILE_FN auto windows(const coord& p) const
        {
            const multi_index origin = {p.inputs.begin, p.l.begin};
            if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.out_copy()>(
                    args.boxes.windows[p.number], conv::all_rows, origin,
                    conv::class_window_box<C.spatial>(args.conv, p.residues, p.inputs, p.group));
            else
            {
                const auto* data =
                    conv::part_of(static_cast<const element*>(args.out), args.conv.out, p.group, p.inputs.image);
                const auto y = conv::class_windows<C.spatial>(args.conv, p.residues, p.inputs.images);
                const tensor_view matrix{
                    data, p.inputs.images * args.conv.out.image, // at most: a group's part may end earlier
                    y.positions_by_taps(p.inputs.end)};
                return conv::window_of_rows<C.out_copy()>(matrix, origin);
            }
        }

        // W as [C, taps x K]
        CK_TILE_FN auto weights(const coord& p) const
        {
            const multi_index origin = {p.origin[1], p.l.begin};
            if constexpr(C.takes_boxes())
                return gemm::make_box_operand<element, C.wei_copy()>(
                    args.boxes.matrix, args.conv.c, origin,
                    conv::weight_column_box<C.spatial>{&args.conv, p.residues, p.group});
            else
            {
                const auto matrix = conv::class_weights<C.spatial>(static_cast<const element*>(args.wei), args.conv,
                                                                   p.residues, p.group);
                return make_gather_window<C.wei_copy(), C.wei_run()>(matrix, origin);
            }
        }

        CK_TILE_FN void store(const coord& p, const auto& acc) const
        {
            if(p.inputs.end == 0)
                return;
            const auto write = [&](auto* to) {
                const auto store_to = [&](const auto& matrix) __attribute__((always_inline)) {
                    gemm::store_result<C.tile, C.vector.in, 0, !C.has_pixel_rows()>(in, acc, matrix, p.origin);
                };
                if(args.order.extents[0].divisor == 1) // one class, whose inputs follow each other through all images
                    store_to(conv::pixel_matrix<1>(conv::part_of(to, args.conv.in, p.group, p.inputs.image),
                                                   args.conv.in, args.conv.c, p.inputs.end));
                else
                    store_to(in_matrix(to, p));
            };
            if(args.splits.divisor == 1) [[clang::always_inline]]
                write(static_cast<element*>(args.in));
            else [[clang::always_inline]]
                write(args.partials + p.split * args.inputs);
        }

        // dX as [inputs of the class, C]
        template <class T>
        CK_TILE_FN auto in_matrix(T* data, const coord& p) const
        {
            return conv::class_input(conv::part_of(data, args.conv.in, p.group, p.inputs.image), args.conv, p.residues,
                                     p.inputs.images);
        }
    };
};

// dX [C, pixels] = the sum over K of W [K, C] * dY [K, pixels].
template <config C>
requires(C.is_pointwise())
struct program<C> : conv::pointwise_program<C.arch, C.tile, majorness::mn, C.vector.wei, C.vector.out, conv::leave>
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
};

} // namespace ck_tile::grouped_conv_bwd_data
