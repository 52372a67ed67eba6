// SPDX-License-Identifier: MIT
// The kernel of depthwise convolutions by diagonal products, which make images: Y of X, or, of stride 1, dX of dY, through the filter turned around.
//
// to [pixel, channel] = activation(sum over taps of from [pixel seen through the tap, channel] * W [channel, tap] + bias). A block has some channels, whose
// weights its threads keep as operands, and makes one region after the other, of a patch: the copy engine brings halos and takes images, and threads
// meet once.
#pragma once

#include "ck_tile/verbs/box_copy.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/diagonal.hpp"
#include "ops/grouped_conv/narrow_arguments.hpp"
#include "ops/grouped_conv/narrow_config.hpp"
#include "ops/grouped_conv/region_loop.hpp"

namespace ck_tile::conv
{

struct diagonal_arguments
{
    narrow_arguments all;
    struct
    {
        tensor_map from; // [images, height, width, channels], boxes of a region's halo
        tensor_map to;   // the same of what is made, boxes of a patch
    } maps;
};

template <auto C>
struct diagonal_program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int registers     = C.registers();
    using element                      = element_t<C.dtype()>;
    using arguments                    = diagonal_arguments;
    static constexpr int map_at = offsetof(arguments, maps), maps = sizeof(arguments::maps) / sizeof(tensor_map);

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), share = number / a.all.slices,
                  first_channel = (number - share * a.all.slices.divisor) * C.channels;
        lay_out_weights(b, a.all, first_channel);
        b.sync();
        const element* wei = b.lds_at<element>(C.weights_at());
        const auto biases  = load<reduced<rows, 0>>(biases_tile{b.lds_at<element>(biases_at)});
        const auto weights = products::template load<true>(wei, biases);
        const auto& grid   = a.all.regions;
        box_store<C.waves, C.lanes()> stored;
        int turn          = 0; // images: where in LDS they are, one after the other
        const auto images = [&] { return images_tile{b.lds_at<element>(C.images_at() + turn * images_tile::bytes)}; };
        for_each_region_of_boxes<C.stages, C.waves, C.lanes(), C.barriers_at()>(
            b, share, grid.order.end, a.all.shares,
            [&](int region, int stage, auto box) {
                box(halo(b, stage).data, a.maps.from, grid.template at<false>(region).seen_box(first_channel),
                    grid.shape.halo() * C.channels * static_cast<int>(sizeof(element)));
            },
            [&](int, int stage) {
                const auto sums = products::sums(halo(b, stage), weights, wei, biases, grid.shape);
                store(images(), activated(sums, a.all.activation));
                see_copies();
                stored.wait(); // those of the region before, which others overwrite next
            },
            [&](int region) {
                stored.store(a.maps.to, grid.template at<false>(region).made_box(first_channel), images().data);
                turn = 1 - turn;
            });
        stored.wait();
    }

  private:
    static constexpr distribution rows = C.rows();
    static constexpr int biases_at     = C.weights_at() + C.channels * C.window.taps() * int(sizeof(element));
    using halo_tile                    = lds_tile<element, C.halo_layout()>;
    using images_tile                  = lds_tile<element, C.images_layout()>;
    using biases_tile                  = lds_tile<element, lds_layout{.rows = 1, .cols = C.channels}>;
    using products                     = diagonal<C.arch, C.dtype(), C.window, C.patch, C.waves, rows, true>;

    static CK_TILE_FN halo_tile halo(const block& b, int stage) { return {b.lds_at<element>(stage * C.stage_bytes())}; }

    // Those of the block's channels, [channel][tap], and behind them biases. dX sees dY through the last tap first.
    static CK_TILE_FN void lay_out_weights(const block& b, const narrow_arguments& a, int first_channel)
    {
        constexpr int taps = C.window.taps(), weights = C.channels * taps;
        for_each_index<rows>(weights + C.channels, [&](thread t, int i) {
            const bool is_bias = i >= weights;
            const int own = is_bias ? i - weights : i / taps, tap = i - own * taps, channel = first_channel + own;
            const auto* from                        = static_cast<const element*>(is_bias ? a.bias : a.wei);
            const int at                            = is_bias                        ? channel
                                                      : C.made == direction::forward ? channel * taps + tap
                                                                                     : channel * taps + taps - 1 - tap;
            b.lds_of<element>(t, C.weights_at())[i] = from != nullptr && channel < a.channels ? from[at] : element(0);
        });
    }

    static CK_TILE_FN tile<element, rows> activated(const tile<float, rows>& sums, activation how)
    {
        tile<element, rows> rounded;
        with_activation(how, [&](const auto& activate) { rounded = activate.template rounded<element>(sums); });
        return rounded;
    }
};

} // namespace ck_tile::conv
