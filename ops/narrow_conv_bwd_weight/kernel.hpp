// SPDX-License-Identifier: MIT
// Convolutions of few channels per group, backward weight: dW [channel, tap, channel of the group] = sum over pixels of dY [pixel, channel] * X
// [pixel seen through the tap, channel of the group].
//
// A block has some channels of every so many regions, each thread, or wave, all taps of its channels and of its patches of each region; at the
// end their sums are added up.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ops/grouped_conv/narrow_program.hpp"
#include "ops/grouped_conv/tap_weights.hpp"
#include "ops/narrow_conv_bwd_weight/config.hpp"

namespace ck_tile::narrow_conv_bwd_weight
{

struct arguments
{
    const void* in;
    const void* out;
    void* wei;       // [channels][taps, channels of the group], as wei_strides say
    float* partials; // of each share, as wei; null when there is one share, which then writes dW itself
    int batch, channels, group;
    multi_index<2> wei_strides; // of a tap, of a channel of the group
    conv::image_lines in_lines, out_lines;
    conv::region_grid regions;
    conv::region_shape pixels; // the regions of dY themselves, as halos
    divider slices;            // of channels
    int shares;                // of regions
};

// Sums of one channel per group, by multiply-adds.
template <config C, class Element>
class weights_by_multiply_adds
{
    static constexpr int at_once = C.taps_at_once(), vector = C.own();
    static constexpr distribution all_sums = C.sums(C.window.taps()), some_sums = C.sums(at_once);
    using halo_tile  = lds_tile<Element, C.halo_layout()>;
    using pixel_tile = lds_tile<Element, C.pixel_layout()>;

  public:
    explicit CK_TILE_FN weights_by_multiply_adds(const arguments& a) : args_(a), sums_(fill<float, all_sums>(0.f)) {}

    // The products of a region.
    CK_TILE_FN void add(const halo_tile& x, const pixel_tile& y)
    {
        using run           = conv::detail::run_of<Element, vector>;
        const auto& regions = args_.regions.shape;
        for_each_thread<all_sums>([&](thread t) {
            const int number = first_element<all_sums, 0>(t), channel = first_element<all_sums, 1>(t);
            if(number >= regions.patches())
                return;
            const Element* row = y.at(args_.pixels.first_input(number), channel);
            float dy[C.patch.pixels()][vector];
            CK_TILE_UNROLL
            for(int r = 0; r < C.patch.rows; ++r, row += args_.pixels.halo_cols.divisor * pixel_tile::layout.line())
                CK_TILE_UNROLL
            for(int c = 0; c < C.patch.cols; ++c)
            {
                const run some(row + c * pixel_tile::layout.line());
                CK_TILE_UNROLL
                for(int v = 0; v < vector; ++v)
                    dy[r * C.patch.cols + c][v] = some[v];
            }
            auto& own       = sums_.file_of(t);
            const int first = regions.first_input(number);
            const auto add  = [&](int pixel, int tap, const float* values) {
                CK_TILE_UNROLL
                for(int v = 0; v < vector; ++v)
                    own.set(tap, v, __builtin_fmaf(values[v], dy[pixel][v], own.get(tap, v)));
            };
            if constexpr(!C.window.any())
                conv::slide<C.made, C.window, C.patch, vector>(x, regions.halo_cols.divisor, first, channel, add);
            else
            {
                const multi_index<2> window = regions.window;
                int i = 0, j = 0;
                register_for<C.window.taps()>([&](auto tap) { // each has a register
                    if(i == window[0])
                        return;
                    conv::visit_tap<C.made, C.patch, vector>(
                        x, regions, first, channel, i, j,
                        [&](int pixel, const float* values) { add(pixel, tap, values); });
                    if(++j == window[1])
                        j = 0, ++i;
                });
            }
        });
    }

    // The sums of `at_once` taps of each thread, and which weights they are.
    CK_TILE_FN tile<float, some_sums> some(int number) const
    {
        tile<float, some_sums> s;
        for_each_thread<some_sums>([&](thread t) {
            for_each_element<some_sums>(
                [&](auto r, auto v) { s.file_of(t).set(r, v, sums_.file_of(t).get(number * at_once + r, v)); });
        });
        return s;
    }
    static CK_TILE_FN conv::weight_place weight_of(thread t, int r, int v, int)
    {
        return {r, first_element<some_sums, 1>(t) + v, 0};
    }

  private:
    const arguments& args_;
    tile<float, all_sums> sums_;
};

template <config C>
struct program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int registers     = C.registers();
    using element                      = element_t<C.dtype()>;
    using arguments                    = narrow_conv_bwd_weight::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), share = number / a.slices,
                  channel = (number - share * a.slices.divisor) * C.channels;
        copies both{b, a, channel, {{a.in_lines, a.regions.shape}, 0}, {{a.out_lines, a.pixels}, 0}};
        products sums(a);
        conv::for_each_region<C.stages>(b, both, share, a.regions.order.end, a.shares,
                                        [&](const auto&, int stage) { sums.add(x_in(b, stage), dy_in(b, stage)); });
        store_sums(b, a, sums, share, channel);
    }

  private:
    static constexpr int at_once = C.taps_at_once(), stage_bytes = C.stage_bytes(),
                         dy_at = C.halo_bytes(); // of a stage
    using halo_tile            = lds_tile<element, C.halo_layout()>;
    using pixel_tile           = lds_tile<element, C.pixel_layout()>;
    using products =
        typename std::conditional_t<C.by_matrix(), std::type_identity<conv::weights_by_matrix<C, element, arguments>>,
                                    std::type_identity<weights_by_multiply_adds<C, element>>>::type;

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
            x.operand().move_to(static_cast<const element*>(args.in), c, c.halo, channel);
            dy.operand().move_to(static_cast<const element*>(args.out), c, c.pixel, channel);
            return c;
        }
        CK_TILE_FN void begin() { x.begin(), dy.begin(); }
        CK_TILE_FN void end(int stage) { x.end(x_in(in, stage)), dy.end(dy_in(in, stage)); }
    };

    // A few taps after the others.
    static CK_TILE_FN void store_sums(const block& b, const arguments& a, const products& sums, int share, int channel)
    {
        const int taps = product(a.regions.shape.window), of_channel = taps * a.group;
        register_for<C.window.taps() / at_once>([&](auto number) __attribute__((always_inline)) {
            if(number * at_once >= taps)
                return;
            const auto some = sums.some(number);
            b.sync();
            const auto total = reduce<0>(b, some, [](float p, float q) { return p + q; });
            for_each_thread<decltype(total)::layout>([&](thread t) {
                if(first_element<std::remove_cvref_t<decltype(some)>::layout, 0>(t) != 0)
                    return;
                for_each_element<decltype(total)::layout>([&](auto r, auto v) {
                    const conv::weight_place w = products::weight_of(t, r, v, a.group);
                    const int at = channel + w.of_y, tap = number * at_once + w.tap;
                    const float sum = total.file_of(t).get(r, v);
                    if(at >= a.channels || tap >= taps || w.of_x < 0)
                        return;
                    const int offset = at * of_channel + tap * a.wei_strides[0] + w.of_x * a.wei_strides[1];
                    if(a.partials != nullptr)
                        a.partials[std::int64_t(share) * a.channels * of_channel + offset] = sum;
                    else
                        static_cast<element*>(a.wei)[offset] = convert<element>(sum);
                });
            });
        });
    }
};

} // namespace ck_tile::narrow_conv_bwd_weight
