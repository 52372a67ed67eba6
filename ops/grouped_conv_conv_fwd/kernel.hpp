// SPDX-License-Identifier: MIT
// Grouped convolution, activation, and a 1x1 convolution over all its channels, in one kernel.
//
// Y [m = pixel of a region, n = K1] = sum over l = channel of A [m, l] * W1 [n, l], where A, the intermediate, is computed by the block: the
// first convolution of the region, bias and activation, rounded to the type. It is in LDS alone.
#pragma once

#include "ck_tile/core/gather_window.hpp"
#include "ck_tile/verbs/broadcast.hpp"
#include "ops/grouped_conv/finish.hpp"
#include "ops/grouped_conv/halo_window.hpp"
#include "ops/grouped_conv_conv_fwd/config.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

// The groups of the first convolution have one channel each.
struct arguments
{
    const void* in;
    const void* wei0;
    const void* wei1;
    const void* bias0; // [channels]; null: none
    const void* bias1; // [K1]; null: none
    void* out;
    conv::activation activation;
    conv::arguments first; // its channels, of X and of the intermediate, are of one group
    conv::image_lines in_lines;
    int k1;
    conv::region_grid regions;
    int blocks;
};

template <config C>
struct program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch        = C.arch;
    static constexpr gemm::shape shape        = C.shape();
    static constexpr gemm::computed_loop loop = C.loop();
    static constexpr int threads              = C.threads();
    static constexpr int lds_bytes            = C.lds_bytes();
    static constexpr int registers            = C.registers(facts(arch));
    using element                             = element_t<C.dtype()>;
    using arguments                           = grouped_conv_conv_fwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        gemm::run_computed_tiles<shape, loop>(b, tiles{b, a}, static_cast<int>(b.at.x), a.regions.order.end, a.blocks);
    }

  private:
    static constexpr int wei0_at = C.in_bytes(), epilogue_at = loop.epilogue_at(shape); // of a stage; of LDS

    using halo_tile    = lds_tile<element, C.halo_layout()>;
    using weights_tile = lds_tile<element, lds_layout{.rows = 1, .cols = C.wei0_copy().lengths[1]}>;

    using coord = conv::region_grid::coord;

    struct tiles
    {
        static constexpr distribution rows = C.rows(shape.k);
        const block& in;
        const arguments& args;

        CK_TILE_FN int terms() const { return args.first.c; }
        CK_TILE_FN int steps() const { return ceil_div(args.first.c, shape.k); }
        CK_TILE_FN int columns() const { return loop.keeps_all() ? ceil_div(args.k1, shape.n) : 1; }
        CK_TILE_FN coord at(int number) const { return args.regions.at<false>(number); }

        // Of the channels' weights, as they lie.
        CK_TILE_FN auto weights() const
        {
            const int length = args.first.c * product(args.first.filter);
            return make_window<C.wei0_copy()>(tensor_view{static_cast<const element*>(args.wei0), std::int64_t(length),
                                                          strided<2>{{1, length}, {length, 1}}},
                                              multi_index{0, 0});
        }

        // What the intermediate of a region is computed from.
        struct copies
        {
            gemm::operand_copy<conv::halo_window<element, C.in_copy()>> x;
            gemm::operand_copy<decltype(std::declval<tiles>().weights())> w;

            CK_TILE_FN void begin() { x.begin(), w.begin(); }
            CK_TILE_FN void end(const block& b, int at)
            {
                x.end(halo_tile{b.lds_at<element>(at)});
                w.end(weights_tile{b.lds_at<element>(at + wei0_at)});
            }
        };
        CK_TILE_FN copies source() const
        {
            return {{conv::halo_window<element, C.in_copy()>(args.in_lines, args.regions.shape), shape.k},
                    {weights(), shape.k * product(args.first.filter)}};
        }
        CK_TILE_FN void move(copies& source, const coord& p) const
        {
            const conv::arguments& c = args.first;
            source.x.operand().move_to(static_cast<const element*>(args.in), p.seen, p.halo);
            source.w = {weights(), shape.k * product(c.filter)};
        }

        CK_TILE_FN auto b(const coord&, int column) const
        {
            const tensor_view matrix{static_cast<const element*>(args.wei1), std::int64_t(args.k1) * args.first.c,
                                     packed(multi_index{args.k1, args.first.c})};
            return make_gather_window<C.wei1_copy()>(matrix, multi_index{column * shape.n, 0});
        }

        template <distribution Own, class Start>
        CK_TILE_FN tile<float, Own> convolve(const halo_tile& x, const element* wei, const Start& start) const
        {
            if constexpr(C.first == formulation::diagonal)
                return conv::diagonal<arch, C.dtype(), C.window, C.patch, shape.waves(), Own>::sums(
                    x, wei, args.regions.shape, start);
            else
                return conv::depthwise<C.window, C.patch, Own>(x, wei, args.regions.shape, start);
        }

        // A step of the intermediate: bias, sums, activation.
        template <int Depth, class A>
        CK_TILE_FN void compute(const coord&, int step, int at, const A& a) const
        {
            constexpr distribution own = C.rows(Depth);
            const auto sums            = convolve<own>(
                halo_tile{in.lds_at<element>(at)}, in.lds_at<element>(at + wei0_at),
                conv::load_bias<reduced<own, 0>, element, C.vector()>(args.bias0, args.first.c, step * shape.k));
            conv::with_activation(args.activation, [&](const auto& activate) {
                ck_tile::store(a, convert<element>(map(activate, sums)));
            });
        }

        // Sums begin with the bias of their column.
        CK_TILE_FN auto begin(int column) const
        {
            constexpr distribution all = gemm::accumulator(shape);
            return broadcast<all>(
                conv::load_bias<reduced<all, 0>, element, C.vector()>(args.bias1, args.k1, column * shape.n));
        }

        CK_TILE_FN void store(const coord& p, int column, const auto& acc) const
        {
            const block there{in.at, in.lds + epilogue_at};
            // Others' products may still read A, which is overwritten next. Not where it is read into registers, or one step is kept:
            // threads have met since. And an epilogue for the whole block meets first. There nothing is moved across, as live sums and
            // what an epilogue loads do not fit half of the registers.
            if constexpr(C.epilogue != gemm::epilogue::through_lds && loop.kept > 1 &&
                         shape.inst().operands == operand_source::lds)
                in.sync();
            else
                schedule_fence();
            const multi_index<2> origin = {0, column * shape.n};
            if constexpr(C.epilogue == gemm::epilogue::by_wave)
                gemm::store_by_wave<shape, 0>(there, acc, pixels(p), origin);
            else if constexpr(C.epilogue == gemm::epilogue::direct)
                gemm::store_directly<shape>(acc, pixels(p), origin);
            else
                gemm::store_through_lds<shape, C.vector()>(there, acc, pixels(p), origin);
        }

        // Y as [pixels of the region, K1], in the order of patches.
        CK_TILE_FN auto pixels(const coord& p) const
        {
            const conv::arguments& c    = args.first;
            const conv::region_shape& s = args.regions.shape;
            const auto lengths          = conv::used<2>(c.output);
            const int row = lengths[1] * args.k1, count = p.made.count;
            const std::int64_t image     = std::int64_t(lengths[0]) * row;
            constexpr divider patch_rows = C.patch.rows, patch_cols = C.patch.cols;
            const strided<4> memory = {{count, lengths[0], lengths[1], args.k1},
                                       {static_cast<int>(image), row, args.k1, 1}};
            const auto region       = transform(memory, along<dims{0}, dims{0}>(pass_through{count}),
                                                along<dims{1}, dims{1}>(pad{lengths[0], -p.pixel[0], 0}),
                                                along<dims{2}, dims{2}>(pad{lengths[1], -p.pixel[1], 0}),
                                                along<dims{3}, dims{3}>(pass_through{args.k1}));
            const auto patches =
                transform(region, along<dims{0}, dims{0}>(pass_through{count}),
                          along<dims{1}, dims{1, 3}>(embed<2>{{s.rows.divisor, C.patch.rows}, {C.patch.rows, 1}}),
                          along<dims{2}, dims{2, 4}>(embed<2>{{s.cols.divisor, C.patch.cols}, {C.patch.cols, 1}}),
                          along<dims{3}, dims{5}>(pass_through{args.k1}));
            const auto numbered = transform(patches,
                                            along<dims{0, 1, 2, 3, 4}, dims{0}>(merge<5, dividers<5>>{
                                                {{undivided(count), s.rows, s.cols, patch_rows, patch_cols}},
                                                count * s.rows.divisor * s.cols.divisor * C.patch.pixels()}),
                                            along<dims{5}, dims{1}>(pass_through{args.k1}));
            return tensor_view{static_cast<element*>(args.out) + p.made.first * image, count * image, numbered};
        }
    };
};

} // namespace ck_tile::grouped_conv_conv_fwd
