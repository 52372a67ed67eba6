// SPDX-License-Identifier: MIT
// Images by products whose operands stay in LDS, on architectures whose instructions take them from there: see tap_product.hpp. Four waves make a
// patch of 8 x 8 pixels, or several of these,
//
//   made [pixel m, channel n] += seen [pixel m, channel k] * W [channel n, k]
//
// tap by tap: what the pixels of a patch see through a tap are rows of the halo, 8 neighbours and 8 of the next row of the image, wherever they lie.
#pragma once

#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/grouped_conv/tap_images.hpp"

namespace ck_tile::conv
{

// C: a configuration. Arguments: as narrow_program has them.
template <auto C, class Element, class Arguments>
class images_by_lds : images_by_taps<C, Element, Arguments>
{
    using taps = images_by_taps<C, Element, Arguments>;
    using taps::made, taps::pixels, taps::run, taps::classes;
    using taps::number_of_taps, taps::filter_rows, taps::filter_cols, taps::row_step, taps::weight_of,
        taps::make_again_if_unusual;
    using taps::groups_, taps::shape_, taps::made_channels_, taps::first_seen_, taps::start_;
    static constexpr gemm::shape product   = C.product();
    static constexpr distribution of_waves = gemm::accumulator(product);
    static constexpr int vector = C.vector(), weights_at = C.weights_at(), fragments = product.row_fragments();
    using halo_tile    = lds_tile<Element, C.halo_layout()>;
    using weights_tile = lds_tile<Element, swizzled_rows(C.channels, C.channels)>;

  public:
    // Weights of all taps go to LDS, one tile for each: for sums() behind a sync. `first_seen`: the channel of column 0 of halos.
    CK_TILE_FN images_by_lds(const block& b, const Arguments& a, const channel_slices& made_channels, int first_seen)
        : taps(a, made_channels, first_seen), block_(b), first_row_(first_row_of_wave<product>())
    {
        constexpr int chunks = C.channels / vector;
        for_each_index<pixels>(number_of_taps() * C.channels * chunks, [&](thread t, int i) {
            const int chunk = i % chunks, n = i / chunks % C.channels, tap = i / chunks / C.channels,
                      channel = made_channels_[tap_product::channel_of_column(n)], seen = first_seen_ + chunk * vector;
            Element some[vector];
            CK_TILE_UNROLL
            for(int k = 0; k < vector; ++k)
                some[k] = groups_.same(channel, seen + k) ? weight_of(channel, seen + k, tap) : Element(0);
            const weights_tile weights{b.lds_of<Element>(t, weights_at) + tap * weights_tile::layout.elements()};
            Element* to = weights.at(n, chunk * vector);
            check_lds_write(to, some, sizeof some);
            __builtin_memcpy(__builtin_assume_aligned(to, sizeof some), some, sizeof some);
        });
    }

    // Of the patches from `first` on that a block computes at once; and meanwhile(), with the first ones.
    CK_TILE_FN tile<float, pixels> sums(const halo_tile& from, int first, const auto& meanwhile) const
    {
        tile<float, of_waves> acc;
        for_each_thread<of_waves>([&](thread t) {
            for_each_element<of_waves>(
                [&](auto r, auto v) { acc.file_of(t).set(r, v, start_[t.copy].values[number_of(r, v)]); });
        });
        pin_accumulators(acc);
        const auto first_seen = [&](thread t) {
            const int patch = first + (on_device ? first_row_ / product.inst().m : t.wave / product.inst().waves);
            return shape_.template first_input<classes>(patch < shape_.patches() ? patch : 0);
        };
        const int next_row = row_step() * shape_.halo_cols.divisor;
        const weights_tile weights{block_.lds_at<Element>(weights_at)};
        each_tap([&](int number, int beyond) {
            mma<product>(acc,
                         row_groups<Element, C.halo_layout(), decltype(first_seen)>{from, next_row, beyond, first_seen},
                         weights, number);
        });
        if(first == 0)
            meanwhile();
        wait_for_products<0>();
        pin_accumulators(acc);
        tile<float, pixels> made_of;
        for_each_thread<pixels>([&](thread t) {
            for_each_element<of_waves>([&](auto r, auto v) {
                const int number = number_of(r, v), of_run = fragments * 2;
                made_of.file_of(t).set(number / run * of_run + r % fragments * 2 + v / 2, number % run,
                                       acc.file_of(t).get(r, v));
            });
            make_again_if_unusual(made_of.file_of(t), t, from, first);
        });
        return made_of;
    }

  private:
    // Of a lane's channels, the one of an element of its accumulators.
    static CK_TILE_FN constexpr int number_of(int r, int v) { return r / fragments * 2 + v % 2; }

    // visit(number of the tap, pixels of the halo from what a pixel sees first to what it sees through the tap).
    CK_TILE_FN void each_tap(const auto& visit) const
    {
        constexpr bool backward = made == direction::backward_data;
        const int rows = filter_rows(), cols = filter_cols(), next_class = shape_.template next_class<classes>();
        int number = 0;
        CK_TILE_KEEP_LOOP
        for(int plane = 0; plane < (C.deep() ? shape_.depth.taps : 1); ++plane)
            CK_TILE_KEEP_LOOP
        for(int y = 0; y < rows; ++y)
            CK_TILE_KEEP_LOOP
        for(int x = 0; x < cols; ++x)
            visit(number++, (C.deep() ? shape_.beyond_first(made, plane) : 0) +
                                (backward ? rows - 1 - y : y) * shape_.dilation[0] * shape_.halo_cols.divisor +
                                slot_of<classes>((backward ? cols - 1 - x : x) * shape_.dilation[1], next_class, 1));
    }

    const block& block_;
    int first_row_; // of the wave's instruction
};

} // namespace ck_tile::conv
