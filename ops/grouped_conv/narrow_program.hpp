// SPDX-License-Identifier: MIT
// The kernel of convolutions of few channels per group that make images: Y of X, or dX of dY.
//
// to [pixel, channel] = activation(sum over taps of from [pixel seen through the tap, channels of the group] * W [channel, tap, channel of the
// group] + bias + residual). A block has some channels of every so many regions; of one channel per group, by multiply-adds whose weights stay
// in LDS as fp32, of more by matrix instructions.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/lds_images.hpp"
#include "ops/grouped_conv/narrow_arguments.hpp"
#include "ops/grouped_conv/narrow_config.hpp"
#include "ops/grouped_conv/patch_window.hpp"
#include "ops/grouped_conv/region_loop.hpp"
#include "ops/grouped_conv/tap_images.hpp"
#include "ops/grouped_conv/toeplitz.hpp"

namespace ck_tile::conv
{

// Sums of one channel of X per group, by multiply-adds.
template <auto C, class Element>
class images_by_multiply_adds
{
    static constexpr distribution pixels = C.rows();
    using halo_tile                      = lds_tile<Element, C.halo_layout()>;

  public:
    // Weights of the block's channels of Y go to LDS, as [tap][channel], and behind them what sums begin with: for sums() behind a sync.
    // `first_seen`: the channel of column 0 of halos.
    CK_TILE_FN images_by_multiply_adds(const block& b, const narrow_arguments& a, const channel_slices& made,
                                       int first_seen)
        : block_(b), args_(a), made_(made), first_seen_(first_seen)
    {
        const int first_channel = C.made == direction::forward ? made.first : first_seen;
        const int taps          = a.regions.shape.taps();
        for_each_index<pixels>((taps + 1) * C.channels, [&](thread t, int i) {
            const int tap = i / C.channels, channel = first_channel + i % C.channels;
            const auto* from  = static_cast<const Element*>(tap < taps ? a.wei : a.bias);
            const bool exists = channel < a.channels && from != nullptr;
            b.lds_of<float>(t, weights_at)[i] =
                exists ? convert<float>(from[tap < taps ? channel * taps + tap : channel]) : 0.f;
        });
    }

    CK_TILE_FN tile<float, pixels> sums(const halo_tile& from, int first) const
    {
        constexpr int vector = pixels.vecs();
        const auto& shape    = args_.regions.shape;
        tile<float, pixels> sums;
        for_each_thread<pixels>([&](thread t) {
            const int number = first + first_element<pixels, 0>(t) / C.patch.pixels(),
                      column = first_element<pixels, 1>(t);
            if(!made_.has(column))
                return;
            const int channel = seen_by(column);
            const float* wei  = block_.lds_of<float>(t, weights_at) + (C.made == direction::forward ? column : channel);
            float start[vector];
            detail::read_channels(start, wei + shape.taps() * C.channels, neighbours{});
            auto& own = sums.file_of(t);
            for_each_element<pixels>([&](auto r, auto v) { own.set(r, v, start[v]); });
            if(number >= shape.patches())
                return;
            const int planes = C.deep() ? shape.depth.taps : 1, input = shape.first_input(number);
            // Step: from one channel that a thread sees to the next.
            const auto add = [&](int nth, auto step) __attribute__((always_inline)) {
                const float* of_plane = wei + nth;
                CK_TILE_KEEP_LOOP
                for(int plane = 0; plane < planes; ++plane, of_plane += shape.plane_taps() * C.channels)
                {
                    check_weights(of_plane, shape.plane_taps(), step);
                    each_product<C.made, C.window, C.patch, vector>(
                        from, shape, C.deep() ? input + shape.beyond_first(C.made, plane) : input, channel + nth,
                        [&](int pixel, int tap, const float* values) {
                            float weight[vector];
                            weights_of(weight, of_plane + tap * C.channels, step);
                            CK_TILE_UNROLL
                            for(int v = 0; v < vector; ++v)
                                own.set(pixel, v, __builtin_fmaf(values[v], weight[v], own.get(pixel, v)));
                        },
                        step);
                }
            };
            if constexpr(C.takes_multipliers() && vector > 1)
                if(args_.groups.made.divisor != args_.groups.seen.divisor)
                {
                    const int step = seen_by(column + 1) - channel;
                    CK_TILE_KEEP_LOOP
                    for(int nth = 0; nth < channels_seen(); ++nth)
                        add(nth, step);
                    return;
                }
            CK_TILE_KEEP_LOOP
            for(int nth = 0; nth < (vector == 1 ? channels_seen() : 1); ++nth)
                add(nth, neighbours{});
        });
        return sums;
    }

  private:
    CK_TILE_FN int seen_by(int column) const
    {
        return C.takes_multipliers() ? args_.groups.first_seen(made_[column]) - first_seen_ : column;
    }
    CK_TILE_FN int channels_seen() const
    {
        return C.takes_multipliers() && C.made == direction::backward_data ? args_.groups.seen.divisor : 1;
    }

    // Of channels of Y: those that are made are neighbours.
    template <class Step>
    static CK_TILE_FN auto step_of_weights(Step step)
    {
        if constexpr(C.made == direction::forward)
            return neighbours{};
        else
            return step;
    }
    template <class Step>
    static CK_TILE_FN void weights_of(float (&to)[pixels.vecs()], const float* from, Step step)
    {
        detail::read_checked_channels(to, from, step_of_weights(step));
    }
    // Tells the checker of those of all taps of a plane, once for all pixels.
    template <class Step>
    static CK_TILE_FN void check_weights(const float* of_plane, int taps, Step step)
    {
        if constexpr(checks_programs)
            for(int tap = 0; tap < taps; ++tap)
                detail::check_channels<pixels.vecs()>(of_plane + tap * C.channels, step_of_weights(step));
    }

    static constexpr int weights_at = C.weights_at();
    const block& block_;
    const narrow_arguments& args_;
    channel_slices made_;
    int first_seen_;
};

template <auto C>
struct narrow_program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    static constexpr int registers     = C.registers();
    static constexpr int stage_bytes   = C.stage_bytes();
    using element                      = element_t<C.dtype()>;
    using arguments                    = narrow_arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), share = number / a.slices,
                  of_slice        = C.takes_multipliers() ? a.groups.of_slice : slice_columns;
        const channel_slices made = {(number - share * a.slices.divisor) * (C.channels / slice_columns) * of_slice,
                                     slice_columns, of_slice};
        const int seen = C.takes_multipliers() ? a.groups.template vector_seen<C.vector()>(made.first) : made.first;
        const products convolution(b, a, made, seen);
        copies halos{b, a, seen, {{a.from_lines, a.regions.shape}, 0}};
        for_each_region<C.arch, C.stages, !C.by_rows(), C.by_lds()>(
            b, halos, share, a.regions.order.end, a.shares, [&](const coord& here, int stage, auto&&... meanwhile) {
                const halo_tile from{b.lds_at<element>(stage * stage_bytes)};
                each_round(a, [&](int first) __attribute__((always_inline)) {
                    if constexpr(C.by_rows())
                    {
                        const auto shortcut = [&] {
                            return a.residual != nullptr
                                       ? load(window(a, static_cast<const element*>(a.residual), here, made, first))
                                       : fill<element, rows>(element(0));
                        };
                        tile<element, rows> images = shortcut();
                        if(convolution.make(images, from, first, a.activation)) [[unlikely]]
                        {
                            images = shortcut();
                            convolution.make_unusual(images, from, first, a.activation);
                        }
                        store(window(a, static_cast<element*>(a.to), here, made, first), images);
                    }
                    else
                    {
                        tile<float, rows> sums = convolution.sums(from, first, meanwhile...);
                        if(a.residual != nullptr)
                        {
                            const auto shortcut =
                                load(window(a, static_cast<const element*>(a.residual), here, made, first));
                            sums = map([](float x, element y) { return x + convert<float>(y); }, sums, shortcut);
                        }
                        store_activated(window(a, static_cast<element*>(a.to), here, made, first), sums, a.activation);
                    }
                });
            });
    }

  private:
    static constexpr distribution rows = C.rows();
    static constexpr int at_once       = C.patches_at_once();
    static constexpr int slice_columns = C.slice_columns();
    using halo_tile                    = lds_tile<element, C.halo_layout()>;
    using coord                        = region_grid::coord;

    static constexpr auto formulation()
    {
        if constexpr(C.by_rows())
            return std::type_identity<images_by_rows<C, element, arguments>>{};
        else if constexpr(C.by_lds())
            return std::type_identity<images_by_lds<C, element, arguments>>{};
        else if constexpr(C.by_matrix())
            return std::type_identity<images_by_matrix<C, element, arguments>>{};
        else
            return std::type_identity<images_by_multiply_adds<C, element>>{};
    }
    using products = typename decltype(formulation())::type;

    struct copies
    {
        const block& in;
        const arguments& args;
        int channel;
        gemm::operand_copy<halo_window<element, C.halo_copy(), C.halo_classes(), C.by_rows()>, C.by_rows() ? 0 : 1>
            halo;

        CK_TILE_FN coord move(int number)
        {
            const coord c = args.regions.template at<C.deep()>(number);
            halo.operand().move_to(static_cast<const element*>(args.from), c.seen, c.halo, channel);
            return c;
        }
        CK_TILE_FN halo_tile at(int stage) const { return {in.lds_at<element>(stage * stage_bytes)}; }
        template <bool Async>
        CK_TILE_FN void begin(int stage)
        {
            halo.template begin<Async>(at(stage));
        }
        template <bool Async>
        CK_TILE_FN void finish(int stage)
        {
            halo.template finish<Async>(at(stage));
        }
    };

    // f(first patch) of what a block computes at once.
    template <class F>
    static CK_TILE_FN void each_round(const arguments& a, F&& f)
    {
        if constexpr(C.by_matrix() || C.by_rows())
        {
            const int patches = a.regions.shape.patches();
            CK_TILE_KEEP_LOOP
            for(int first = 0; first < patches; first += at_once)
                f(first);
        }
        else
            f(0);
    }

    template <class T>
    static CK_TILE_FN auto window(const arguments& a, T* images, const coord& c, const channel_slices& made, int first)
    {
        return patch_window<T, rows, C.patch, C.own_patch()>(a.to_lines, a.regions.shape, images, c, made, first);
    }

    static CK_TILE_FN void store_activated(const auto& to, const tile<float, rows>& sums, conv::activation how)
    {
        if constexpr(C.made == direction::forward)
            with_activation(how, [&](const auto& activate) { store(to, activate.template rounded<element>(sums)); });
        else
            store(to, convert<element>(sums));
    }
};

} // namespace ck_tile::conv
