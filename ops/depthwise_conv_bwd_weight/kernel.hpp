// SPDX-License-Identifier: MIT
// Depthwise convolution, backward weight: dW [channel, tap] = sum over pixels of dY [pixel, channel] * X [pixel seen through the tap, channel].
//
// A block has some channels of every so many regions, each thread all taps of its channels and of one patch of each region; at the end the
// threads' sums are added up.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ops/depthwise_conv_bwd_weight/config.hpp"
#include "ops/grouped_conv/depthwise_program.hpp"

namespace ck_tile::depthwise_conv_bwd_weight
{

struct arguments
{
    const void* in;
    const void* out;
    void* wei;       // [channels][taps]
    float* partials; // [shares][channels][taps]; null when there is one share, which then writes dW itself
    int batch, channels;
    conv::image_lines in_lines, out_lines;
    conv::region_grid regions;
    conv::region_shape pixels; // the regions of dY themselves, as halos
    divider slices;            // of channels
    int shares;                // of regions
};

template <config C>
struct program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype()>;
    using arguments                    = depthwise_conv_bwd_weight::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), share = number / a.slices,
                  channel = (number - share * a.slices.divisor) * C.channels;
        copies both{b, a, channel, {{a.in_lines, a.regions.shape}, 0}, {{a.out_lines, a.pixels}, 0}};
        auto sums = fill<float, all_sums>(0.f);
        conv::for_each_region<C.stages>(b, both, share, a.regions.order.end, a.shares,
                                        [&](const auto&, int stage) { add_products(b, a, stage, sums); });
        store_sums(b, a, sums, share, channel);
    }

  private:
    static constexpr int at_once           = C.taps_at_once();
    static constexpr distribution all_sums = C.sums(C.window.taps()), some_sums = C.sums(at_once);
    static constexpr int vector = C.own(), stage_bytes = C.stage_bytes(), dy_at = C.halo_bytes(); // of a stage
    using halo_tile  = lds_tile<element, C.halo_layout()>;
    using pixel_tile = lds_tile<element, C.pixel_layout()>;

    static CK_TILE_FN halo_tile x_in(const block& b, int stage) { return {b.lds_at<element>(stage * stage_bytes)}; }
    static CK_TILE_FN pixel_tile dy_in(const block& b, int stage)
    {
        return {b.lds_at<element>(stage * stage_bytes + dy_at)};
    }

    struct copies
    {
        const block& in;
        const arguments& args;
        int channel;
        gemm::operand_copy<conv::halo_window<element, C.halo_copy()>> x;
        gemm::operand_copy<conv::halo_window<element, C.pixel_copy()>> dy;

        CK_TILE_FN auto move(int number)
        {
            const auto c = args.regions.at(number, args.batch);
            x.operand().move_to(static_cast<const element*>(args.in) + c.image * args.in_lines.image, c.images,
                                c.halo[0], c.halo[1], channel);
            dy.operand().move_to(static_cast<const element*>(args.out) + c.image * args.out_lines.image, c.images,
                                 c.pixel[0], c.pixel[1], channel);
            return c;
        }
        CK_TILE_FN void begin() { x.begin(), dy.begin(); }
        CK_TILE_FN void end(int stage) { x.end(x_in(in, stage)), dy.end(dy_in(in, stage)); }
    };

    static CK_TILE_FN void add_products(const block& b, const arguments& a, int stage, tile<float, all_sums>& sums)
    {
        using run          = conv::detail::run_of<element, vector>;
        const halo_tile x  = x_in(b, stage);
        const pixel_tile y = dy_in(b, stage);
        for_each_thread<all_sums>([&](thread t) {
            const int number = first_element<all_sums, 0>(t), channel = first_element<all_sums, 1>(t);
            if(number >= a.regions.shape.patches())
                return;
            const element* row = y.at(a.pixels.first_input(number), channel);
            float dy[C.patch.pixels()][vector];
            CK_TILE_UNROLL
            for(int r = 0; r < C.patch.rows; ++r, row += a.pixels.halo_cols.divisor * pixel_tile::layout.line())
                CK_TILE_UNROLL
            for(int c = 0; c < C.patch.cols; ++c)
            {
                const run some(row + c * pixel_tile::layout.line());
                CK_TILE_UNROLL
                for(int v = 0; v < vector; ++v)
                    dy[r * C.patch.cols + c][v] = some[v];
            }
            auto& own       = sums.file_of(t);
            const int first = a.regions.shape.first_input(number);
            const auto add  = [&](int pixel, int tap, const float* values) {
                CK_TILE_UNROLL
                for(int v = 0; v < vector; ++v)
                    own.set(tap, v, __builtin_fmaf(values[v], dy[pixel][v], own.get(tap, v)));
            };
            if constexpr(!C.window.any())
                conv::slide<C.made, C.window, C.patch, vector>(x, a.regions.shape.halo_cols.divisor, first, channel,
                                                               add);
            else
            {
                const multi_index<2> window = a.regions.shape.window;
                int i = 0, j = 0;
                register_for<C.window.taps()>([&](auto tap) { // each has a register
                    if(i == window[0])
                        return;
                    conv::visit_tap<C.made, C.patch, vector>(
                        x, a.regions.shape, first, channel, i, j,
                        [&](int pixel, const float* values) { add(pixel, tap, values); });
                    if(++j == window[1])
                        j = 0, ++i;
                });
            }
        });
    }

    // A few taps after the others.
    static CK_TILE_FN void store_sums(const block& b, const arguments& a, const tile<float, all_sums>& sums, int share,
                                      int channel)
    {
        const int taps = product(a.regions.shape.window);
        register_for<C.window.taps() / at_once>([&](auto number) {
            if(number * at_once >= taps)
                return;
            tile<float, some_sums> some;
            for_each_thread<some_sums>([&](thread t) {
                for_each_element<some_sums>(
                    [&](auto r, auto v) { some.file_of(t).set(r, v, sums.file_of(t).get(number * at_once + r, v)); });
            });
            b.sync();
            const auto total = reduce<0>(b, some, [](float p, float q) { return p + q; });
            for_each_thread<decltype(total)::layout>([&](thread t) {
                if(first_element<some_sums, 0>(t) != 0)
                    return;
                for_each_element<decltype(total)::layout>([&](auto r, auto v) {
                    const int at = channel + first_element<some_sums, 1>(t) + v, tap = number * at_once + r;
                    const float sum = total.file_of(t).get(r, v);
                    if(at >= a.channels || tap >= taps)
                        return;
                    if(a.partials != nullptr)
                        a.partials[(std::int64_t(share) * a.channels + at) * taps + tap] = sum;
                    else
                        static_cast<element*>(a.wei)[at * taps + tap] = convert<element>(sum);
                });
            });
        });
    }
};

} // namespace ck_tile::depthwise_conv_bwd_weight
