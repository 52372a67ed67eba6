// SPDX-License-Identifier: MIT
// The first convolution, whose result is the intermediate: what a step of it is copied from to LDS, and how threads compute it there.
#pragma once

#include "ck_tile/core/gather_window.hpp"
#include "ck_tile/targets/tensor_map.hpp"
#include "ck_tile/verbs/broadcast.hpp"
#include "ops/grouped_conv/finish.hpp"
#include "ops/grouped_conv/halo_window.hpp"
#include "ops/grouped_conv/square_images.hpp"
#include "ops/grouped_conv_conv_fwd/config.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

// Channels whose weights a line of a box has, so that it is a multiple of 16 bytes.
inline constexpr int channels_of_line = 8;

struct arguments
{
    const void* in;
    const void* wei0;
    const void* wei1;
    const void* bias0; // [channels of the intermediate]; null: none
    const void* bias1; // [K1]; null: none
    void* out;
    conv::activation activation;
    conv::arguments first; // its channels, of X and of the intermediate, are of one group
    conv::image_lines in_lines;
    int k1;
    conv::region_grid regions;
    int pixels; // of all images
    int tiles, blocks;
    struct
    {
        tensor_map in;   // [N, height, width, C], boxes of a region's halo
        tensor_map wei0; // [1, C / 8, lines, weights of 8 channels in lines], boxes of a step
    } maps;              // where there are boxes
};

// put() of a step's sums: activation, rounded to the type.
template <class Element>
CK_TILE_FN void put_activated(const arguments& args, const auto& sums, auto&& put)
{
    conv::with_activation(args.activation, [&](const auto& activate) {
        [[clang::always_inline]] put(activate.template rounded<Element>(sums));
    });
}

// One channel per group: of the halo of a region, a step's channels, and their weights as they lie. Tiles are regions.
template <config C>
struct depthwise_first
{
    using element                = element_t<C.dtype()>;
    static constexpr int wei0_at = C.in_bytes();     // of a stage
    static constexpr bool alone  = C.patches() == 1; // a region is one patch
    const block& in;
    const arguments& args;

    using coord = conv::region_grid::coord;
    CK_TILE_FN coord at(int number) const { return args.regions.template at<false>(number); }

    CK_TILE_FN auto weights() const
    {
        const int length = args.first.c * product(args.first.filter);
        return make_window<C.wei0_copy()>(tensor_view{static_cast<const element*>(args.wei0), std::int64_t(length),
                                                      strided<2>{{1, length}, {length, 1}}},
                                          multi_index{0, 0});
    }

    using halo = conv::halo_window<element, C.in_copy(), 1, false, alone>;
    struct copies_of_threads
    {
        gemm::operand_copy<halo> x;
        gemm::operand_copy<decltype(std::declval<depthwise_first>().weights())> w;

        CK_TILE_FN void begin() { x.begin(), w.begin(); }
        CK_TILE_FN void end(const block& b, int at)
        {
            x.end(halo_tile{b.lds_at<element>(at)});
            w.end(weights_tile{b.lds_at<element>(at + wei0_at)});
        }
    };
    struct copies_of_boxes
    {
        const arguments& args;
        tensor_map::coord x; // channel, column, row, image
        int of_x;            // bytes

        CK_TILE_FN void copy(const block& b, int at, auto barrier)
        {
            constexpr int of_w = C.block.k * C.taps() * static_cast<int>(sizeof(element));
            barrier.copy([&](auto box) {
                box(b.lds_at<element>(at), args.maps.in, x, of_x);
                box(b.lds_at<element>(at + wei0_at), args.maps.wei0, {0, 0, x[0] / channels_of_line, 0}, of_w);
            });
            x[0] += C.block.k;
        }
    };
    using copies = std::conditional_t<C.boxes(), copies_of_boxes, copies_of_threads>;
    CK_TILE_FN copies source() const
    {
        if constexpr(C.boxes())
            return {args, {}, args.regions.shape.halo() * C.block.k * static_cast<int>(sizeof(element))};
        else
            return {{halo(args.in_lines, args.regions.shape), C.block.k},
                    {weights(), C.block.k * product(args.first.filter)}};
    }
    CK_TILE_FN void move(copies& source, const coord& p) const
    {
        if constexpr(C.boxes())
            source.x = p.seen_box(0);
        else
        {
            source.x.operand().move_to(static_cast<const element*>(args.in), p.seen, p.halo);
            source.w = {weights(), C.block.k * product(args.first.filter)};
        }
    }

    // A step of the intermediate: bias, sums, activation.
    template <int Depth>
    CK_TILE_FN void compute(const coord&, int step, int at, auto&& put) const
    {
        constexpr distribution own = C.rows(Depth);
        const auto biases =
            conv::load_biases<reduced<own, 0>, element, C.vector()>(args.bias0, args.first.c, step * C.block.k);
        put_activated<element>(
            args, convolve<own>(halo_tile{in.lds_at<element>(at)}, in.lds_at<element>(at + wei0_at), biases), put);
    }

    // Y as [pixels of the region, K1], in the order of patches.
    CK_TILE_FN auto pixels(const coord& p) const
    {
        const conv::arguments& c    = args.first;
        const conv::region_shape& s = args.regions.shape;
        const auto lengths          = conv::used<2>(c.output);
        const int row = lengths[1] * args.k1, count = alone ? 1 : p.made.count;
        const std::int64_t image     = std::int64_t(lengths[0]) * row;
        constexpr divider patch_rows = C.patch.rows, patch_cols = C.patch.cols, one = 1;
        const divider rows = alone ? one : s.rows, cols = alone ? one : s.cols;
        const strided<4> memory = {{count, lengths[0], lengths[1], args.k1},
                                   {static_cast<int>(image), row, args.k1, 1}};
        const auto region       = transform(memory, along<dims{0}, dims{0}>(pass_through{count}),
                                            along<dims{1}, dims{1}>(pad{lengths[0], -p.pixel[0], 0}),
                                            along<dims{2}, dims{2}>(pad{lengths[1], -p.pixel[1], 0}),
                                            along<dims{3}, dims{3}>(pass_through{args.k1}));
        const auto patches =
            transform(region, along<dims{0}, dims{0}>(pass_through{count}),
                      along<dims{1}, dims{1, 3}>(embed<2>{{rows.divisor, C.patch.rows}, {C.patch.rows, 1}}),
                      along<dims{2}, dims{2, 4}>(embed<2>{{cols.divisor, C.patch.cols}, {C.patch.cols, 1}}),
                      along<dims{3}, dims{5}>(pass_through{args.k1}));
        const auto numbered = transform(patches,
                                        along<dims{0, 1, 2, 3, 4}, dims{0}>(merge<5, dividers<5>>{
                                            {{undivided(count), rows, cols, patch_rows, patch_cols}},
                                            count * rows.divisor * cols.divisor * C.patch.pixels()}),
                                        along<dims{5}, dims{1}>(pass_through{args.k1}));
        return tensor_view{static_cast<element*>(args.out) + p.made.first * image, count * image, numbered};
    }

  private:
    using halo_tile    = lds_tile<element, C.halo_layout()>;
    using weights_tile = lds_tile<element, lds_layout{.rows = 1, .cols = C.wei0_copy().lengths[1]}>;

    template <distribution Own>
    CK_TILE_FN tile<float, Own> convolve(const halo_tile& x, const element* wei, const auto& biases) const
    {
        if constexpr(C.first == formulation::diagonal)
        {
            using products =
                conv::images_by_squares<C.arch, C.dtype(), C.window, C.patch, C.shape().waves(), Own, alone>;
            return products::sums(x, products::template load<false>(wei, biases), wei, biases, args.regions.shape);
        }
        else
            return conv::depthwise<C.window, C.patch, Own>(x, wei, args.regions.shape, convert<float>(biases));
    }
};

// 1x1, of one group: a product, of all images' pixels as they lie. LDS has all channels of X that a tile's have, and of W0 the rows of a step.
template <config C>
struct dense_first
{
    static constexpr gemm::shape shape = C.first_shape();
    using element                      = element_t<C.dtype()>;
    const block& in;
    const arguments& args;
    int first_row = first_row_of_wave<shape>();

    struct coord
    {
        int first, count; // pixels
        int stage;        // of LDS where X is, as many as copies are steps ahead
    };
    CK_TILE_FN coord at(int number) const
    {
        const int first = number * C.block.m, left = args.pixels - first;
        return {first, left < C.block.m ? left : C.block.m, C.ahead > 1 ? number / args.blocks % C.ahead : 0};
    }
    // X and Y as [pixels of the tile, channels].
    template <class T>
    CK_TILE_FN auto rows_of(T* tensor, const coord& p, int channels) const
    {
        return tensor_view{tensor + std::int64_t(p.first) * channels, std::int64_t(p.count) * channels,
                           packed(multi_index{p.count, channels})};
    }
    CK_TILE_FN auto pixels(const coord& p) const { return rows_of(static_cast<element*>(args.out), p, args.k1); }
    CK_TILE_FN auto seen(const coord& p) const
    {
        return make_window<C.in_copy()>(rows_of(static_cast<const element*>(args.in), p, args.first.c),
                                        multi_index{0, 0});
    }
    CK_TILE_FN auto weights() const
    {
        const int k = args.first.k, c = args.first.c;
        return make_window<C.wei0_copy()>(
            tensor_view{static_cast<const element*>(args.wei0), std::int64_t(k) * c, packed(multi_index{k, c})},
            multi_index{0, 0});
    }

    struct copies
    {
        gemm::operand_copy<decltype(std::declval<dense_first>().seen({}))> x;
        gemm::operand_copy<decltype(std::declval<dense_first>().weights()), 0> w;
        int stage      = 0;
        bool next_tile = true; // whether X is to be copied

        CK_TILE_FN void begin()
        {
            if(next_tile)
                x.begin();
            w.begin();
        }
        CK_TILE_FN void end(const block& b, int at)
        {
            if(next_tile)
                x.end(pixels_in(b, stage));
            next_tile = false;
            w.end(weights_in(b, at));
        }
    };
    CK_TILE_FN copies source(const coord& p = {}) const
    {
        return {{seen(p), shape.k}, {weights(), C.block.k}, p.stage};
    }
    CK_TILE_FN void move(copies& source, const coord& p) const { source = this->source(p); }

    template <int>
    CK_TILE_FN void compute(const coord& p, int step, int at, auto&& put) const
    {
        constexpr distribution channels = reduced<gemm::accumulator(shape), 0>;
        // On the way while products are made.
        const auto biases =
            conv::load_biases<channels, element, C.vector()>(args.bias0, args.first.k, step * C.block.k);
        auto sums = accumulators<shape>();
        gemm::detail::with_depth<shape>(args.first.c, [&](auto depth) {
            constexpr gemm::shape some = {shape.m, shape.n, depth, shape.waves_m, shape.waves_n, shape.instruction};
            mma<some>(sums, pixels_in(in, p.stage), weights_in(in, at), first_row);
        });
        wait_for_products<0>();
        pin_accumulators(sums);
        put_activated<element>(
            args, map([](float sum, float bias) { return sum + bias; }, sums, convert<float>(biases)), put);
    }

  private:
    template <int Rows, distribution Copy, distribution Fragments>
    using operand_in_lds =
        lds_tile<element,
                 gemm::operand_layout<shape.instruction, gemm::operand_store{majorness::k, gemm::along_k(Copy)}>(
                     Rows, shape.k, Fragments)>;

    static CK_TILE_FN auto pixels_in(const block& b, int stage)
    {
        using x_in_lds             = operand_in_lds<C.block.m, C.in_copy(), gemm::a_fragments(shape)>;
        static constexpr int first = C.in_at();
        return x_in_lds{b.lds_at<element>(first + stage * x_in_lds::bytes)};
    }
    static CK_TILE_FN auto weights_in(const block& b, int at)
    {
        return operand_in_lds<C.block.k, C.wei0_copy(), gemm::b_fragments(shape)>{b.lds_at<element>(at)};
    }
};

} // namespace ck_tile::grouped_conv_conv_fwd
