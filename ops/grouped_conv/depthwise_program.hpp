// SPDX-License-Identifier: MIT
// The kernel of depthwise convolutions that make images: Y of X, or dX of dY.
//
// to [pixel, channel] = activation(sum over taps of from [pixel seen through the tap, channel] * W [channel, tap] + bias + residual). A block
// has some channels of every so many regions; its weights stay in LDS, as fp32.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/depthwise_config.hpp"
#include "ops/grouped_conv/patch_window.hpp"
#include "ops/grouped_conv/region_loop.hpp"

namespace ck_tile::conv
{

struct depthwise_arguments
{
    const void* from;
    const void* wei;      // [channels][taps]
    const void* bias;     // [channels]; null: none
    const void* residual; // as what is made; null: none
    void* to;
    conv::activation activation;
    int batch, channels; // of weights: images may have more
    image_lines from_lines, to_lines;
    region_grid regions;
    divider slices; // of channels
    int shares;     // of regions
};

template <auto C>
struct depthwise_program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int stage_bytes = C.stage_bytes(), weights_at = C.weights_at();
    using element   = element_t<C.dtype()>;
    using arguments = depthwise_arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), share = number / a.slices,
                  channel = (number - share * a.slices.divisor) * C.channels;
        load_weights(b, a, channel);
        copies halos{b, a, channel, {{a.from_lines, a.regions.shape}, 0}};
        for_each_region<C.stages>(b, halos, share, a.regions.order.end, a.shares, [&](const coord& here, int stage) {
            tile<float, rows> sums = convolve(b, a, halo_tile{b.lds_at<element>(stage * stage_bytes)});
            if(a.residual != nullptr)
            {
                const auto shortcut = load(window(a, static_cast<const element*>(a.residual), here, channel));
                sums                = map([](float x, element y) { return x + convert<float>(y); }, sums, shortcut);
            }
            store_activated(window(a, static_cast<element*>(a.to), here, channel), sums, a.activation);
        });
    }

  private:
    static constexpr distribution rows = C.rows();
    using halo_tile                    = lds_tile<element, C.halo_layout()>;
    using coord                        = region_grid::coord;

    struct copies
    {
        const block& in;
        const arguments& args;
        int channel;
        gemm::operand_copy<halo_window<element, C.halo_copy()>> halo;

        CK_TILE_FN coord move(int number)
        {
            const coord c = args.regions.at(number, args.batch);
            halo.operand().move_to(static_cast<const element*>(args.from) + c.image * args.from_lines.image, c.images,
                                   c.halo[0], c.halo[1], channel);
            return c;
        }
        CK_TILE_FN void begin() { halo.begin(); }
        CK_TILE_FN void end(int stage) { halo.end(halo_tile{in.lds_at<element>(stage * stage_bytes)}); }
    };

    // The weights of the block's channels, as [tap][channel], and behind them what sums begin with.
    static CK_TILE_FN void load_weights(const block& b, const arguments& a, int first)
    {
        const int taps = product(a.regions.shape.window);
        for_each_index<rows>((taps + 1) * C.channels, [&](thread t, int i) {
            const int tap = i / C.channels, channel = first + i % C.channels;
            const auto* from  = static_cast<const element*>(tap < taps ? a.wei : a.bias);
            const bool exists = channel < a.channels && from != nullptr;
            b.lds_of<float>(t, weights_at)[i] =
                exists ? convert<float>(from[tap < taps ? channel * taps + tap : channel]) : 0.f;
        });
        b.sync();
    }

    static CK_TILE_FN tile<float, rows> convolve(const block& b, const arguments& a, const halo_tile& from)
    {
        constexpr int vector = rows.vecs();
        const int taps       = product(a.regions.shape.window);
        using weights        = detail::run_of<float, vector>;
        tile<float, rows> sums;
        for_each_thread<rows>([&](thread t) {
            const int number = first_element<rows, 0>(t) / C.patch.pixels(), channel = first_element<rows, 1>(t);
            const float* wei = b.lds_of<float>(t, weights_at) + channel;
            const weights start(wei + taps * C.channels);
            auto& own = sums.file_of(t);
            for_each_element<rows>([&](auto r, auto v) { own.set(r, v, start[v]); });
            if(number < a.regions.shape.patches())
                each_product<C.made, C.window, C.patch, vector>(
                    from, a.regions.shape, a.regions.shape.first_input(number), channel,
                    [&](int pixel, int tap, const float* values) {
                        const weights weight(wei + tap * C.channels);
                        CK_TILE_UNROLL
                        for(int v = 0; v < vector; ++v)
                            own.set(pixel, v, __builtin_fmaf(values[v], weight[v], own.get(pixel, v)));
                    });
        });
        return sums;
    }

    template <class T>
    static CK_TILE_FN auto window(const arguments& a, T* images, const coord& c, int channel)
    {
        return patch_window<T, rows, C.patch>(a.to_lines, a.regions.shape, images + c.image * a.to_lines.image,
                                              c.images, c.pixel[0], c.pixel[1], channel);
    }

    static CK_TILE_FN void store_activated(const auto& to, const tile<float, rows>& sums, conv::activation how)
    {
        if constexpr(C.made == direction::forward)
            with_activation(how, [&](const auto& activate) { store(to, convert<element>(map(activate, sums))); });
        else
            store(to, convert<element>(sums));
    }
};

} // namespace ck_tile::conv
