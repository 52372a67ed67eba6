// SPDX-License-Identifier: MIT
// The kernel of convolutions of few channels per group by products of squares, which make images: Y of X, or, of stride 1, dX of dY, through the filter
// turned around.
//
// to [pixel, channel] = activation(sum over taps, and channels of the group, of from [pixel seen through the tap, channel] * W + bias). A block has some
// channels, whose weights its threads keep as operands, and makes one region after the other, of a patch: the copy engine brings halos and takes images,
// and threads meet once.
#pragma once

#include "ck_tile/verbs/box_copy.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/narrow_arguments.hpp"
#include "ops/grouped_conv/narrow_config.hpp"
#include "ops/grouped_conv/region_loop.hpp"
#include "ops/grouped_conv/square_images.hpp"

namespace ck_tile::conv
{

struct square_arguments
{
    narrow_arguments all;
    struct
    {
        tensor_map from; // [images, height, width, channels], boxes of a region's halo
        tensor_map to;   // the same of what is made, boxes of a patch
    } maps;
};

template <auto C>
struct square_program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int registers     = C.registers();
    using element                      = element_t<C.dtype()>;
    using arguments                    = square_arguments;
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
                const auto sums =
                    products::sums(halo(b, stage), weights, wei, biases, grid.shape, a.all.groups.seen.divisor);
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
    using halo_tile                    = lds_tile<element, C.halo_layout()>;
    using images_tile                  = lds_tile<element, C.images_layout()>;
    using biases_tile                  = lds_tile<element, lds_layout{.rows = 1, .cols = C.channels}>;
    using products = images_by_squares<C.arch, C.dtype(), C.window, C.patch, C.waves, rows, true, C.group>;
    static constexpr int weights   = C.channels * C.window.taps() * products::of_tap,
                         biases_at = C.weights_at() + weights * int(sizeof(element));

    static CK_TILE_FN halo_tile halo(const block& b, int stage) { return {b.lds_at<element>(stage * C.stage_bytes())}; }

    // Those of the block's channels, [channel][tap][channel seen], 0 of other groups, and behind them biases. dX sees dY through the last tap first.
    static CK_TILE_FN void lay_out_weights(const block& b, const narrow_arguments& a, int first_channel)
    {
        constexpr int taps = C.window.taps(), of_tap = products::of_tap;
        constexpr bool forwards = C.made == direction::forward;
        const auto* wei         = static_cast<const element*>(a.wei);
        const auto* bias        = static_cast<const element*>(a.bias);
        const int row           = taps * a.groups.seen.divisor; // of a channel of Y
        for_each_index<rows>(C.channels * taps, [&](thread t, int i) {
            const int own = i / taps, tap = i - own * taps, channel = first_channel + own;
            const int group = a.groups.first_seen(channel), beyond = group - (first_channel + own / of_tap * of_tap),
                      wei_tap = (forwards ? tap : taps - 1 - tap) * a.wei_strides[0];
            // Of the first channel of the group that is seen; and from there to the next one.
            const int at    = wei_tap + (forwards ? channel * row : group * row + (channel - group) * a.wei_strides[1]),
                      next  = forwards ? a.wei_strides[1] : row;
            const int count = channel < a.channels ? a.groups.seen.divisor : 0;
            vector<element, of_tap> all;
            static_for<of_tap>([&](auto seen) {
                const int nth  = seen - beyond;
                const bool own = unsigned(nth) < unsigned(count);
                all[int(seen)] = __builtin_bit_cast(storage_t<element>, own ? wei[at + nth * next] : element(0));
            });
            b.lds_of<vector<element, of_tap>>(t, C.weights_at())[i] = all;
        });
        for_each_index<rows>(C.channels, [&](thread t, int i) {
            const int channel                  = first_channel + i;
            b.lds_of<element>(t, biases_at)[i] = bias != nullptr && channel < a.channels ? bias[channel] : element(0);
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
