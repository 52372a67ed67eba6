// SPDX-License-Identifier: MIT
// Convolutions of few channels per group, backward weight: dW [channel, tap, channel of the group] = sum over pixels of dY [pixel, channel] * X
// [pixel seen through the tap, channel of the group].
//
// A block has some channels of every so many regions, each thread, or wave, all taps of a plane of the filter, of its channels and of its patches
// of each region, or, of a large window that the compiler does not know, some of them; at the end their sums are added up. By matrix
// instructions, what is counted are products, each of which takes a tap, or several neighbours of a row, or of all rows 16 neighbours.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ops/grouped_conv/hankel.hpp"
#include "ops/grouped_conv/narrow_program.hpp"
#include "ops/grouped_conv/square_weights.hpp"
#include "ops/grouped_conv/tap_weights.hpp"
#include "ops/narrow_conv_bwd_weight/config.hpp"

namespace ck_tile::narrow_conv_bwd_weight
{

struct arguments
{
    const void* in;
    const void* out;
    void* wei;       // [channels of Y][taps, channels of X of the group], as wei_strides say
    float* partials; // of each share, as wei; null when there is one share, which then writes dW itself
    int channels;    // of Y
    conv::channel_groups groups;
    multi_index<2> wei_strides; // of a tap, of a channel of X of the group
    conv::image_lines in_lines, out_lines;
    conv::region_grid regions;
    conv::region_shape pixels; // the regions of dY themselves, as halos
    divider slices;            // of channels
    int shares;                // of regions, of which each tap has as many
    struct
    {
        tensor_map in, out; // [images, height, width, channels], boxes of a region's halo, and of its pixels
    } maps;                 // where there are boxes
};

// The products of a block: from `first` on, of a plane of the filter.
struct block_products
{
    int plane, first;
};

// Sums of one channel of X per group, by multiply-adds.
template <config C, class Element>
class weights_by_multiply_adds
{
    static constexpr int at_once = C.products_at_once(), vector = C.own();
    static constexpr distribution all_sums = C.sums(C.window.taps()), some_sums = C.sums(at_once);
    using halo_tile  = lds_tile<Element, C.halo_layout()>;
    using pixel_tile = lds_tile<Element, C.pixel_layout()>;

  public:
    CK_TILE_FN weights_by_multiply_adds(const arguments& a, const conv::weight_channels& own, int first_tap)
        : args_(a), channels_(own), first_tap_(first_tap), sums_(fill<float, all_sums>(0.f))
    {
    }

    // The products of a region.
    CK_TILE_FN void add(const halo_tile& x, const pixel_tile& y)
    {
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
                conv::detail::read_channels(dy[r * C.patch.cols + c], row + c * pixel_tile::layout.line(),
                                            conv::neighbours{});
            auto& own       = sums_.file_of(t);
            const int first = regions.first_input(number),
                      seen  = C.takes_multipliers() ? channels_.column_seen(args_.groups, channel) : channel;
            const auto add  = [&](int pixel, int tap, const float* values) {
                CK_TILE_UNROLL
                for(int v = 0; v < vector; ++v)
                    own.set(tap, v, __builtin_fmaf(values[v], dy[pixel][v], own.get(tap, v)));
            };
            if constexpr(!C.window.any())
                conv::slide<C.made, C.window, C.patch, vector>(x, regions.halo_cols.divisor, first, seen, add);
            else
            {
                const multi_index<2> window = regions.window;
                int i = first_tap_ / window[1], j = first_tap_ % window[1];
                register_for<C.window.taps()>([&](auto tap) { // each has a register
                    if(i == window[0])
                        return;
                    conv::visit_tap<C.made, C.patch, vector>(
                        x, regions, first, seen, i, j,
                        [&](int pixel, const float* values) { add(pixel, tap, values); });
                    if(++j == window[1])
                        j = 0, ++i;
                });
            }
        });
    }

    // The sums of `at_once` taps of each thread, and, of those of a filter from `first` on, which weights they are.
    CK_TILE_FN tile<float, some_sums> some(int number) const
    {
        tile<float, some_sums> s;
        for_each_thread<some_sums>([&](thread t) {
            for_each_element<some_sums>(
                [&](auto r, auto v) { s.file_of(t).set(r, v, sums_.file_of(t).get(number * at_once + r, v)); });
        });
        return s;
    }
    CK_TILE_FN conv::weight_place weight_of(thread t, int r, int v, int first) const
    {
        return {first + r, first_element<some_sums, 1>(t) + v, 0};
    }

    // Not 0 where something of a thread's sums is not finite.
    CK_TILE_FN float unusual(thread t) const { return nan_unless_finite<all_sums>(sums_.file_of(t)); }

  private:
    const arguments& args_;
    conv::weight_channels channels_;
    int first_tap_;
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
    static constexpr int map_at        = offsetof(arguments, maps),
                         maps          = C.by_squares() ? sizeof(arguments::maps) / sizeof(tensor_map) : 0;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x), rest = number / a.slices,
                  channel = (number - rest * a.slices.divisor) * channels_of(a);
        const channels own{channel,
                           C.takes_multipliers() ? a.groups.template vector_seen<C.vector()>(channel) : channel};
        const int share = rest % a.shares, nth = rest / a.shares,
                  of_plane        = ceil_div(plane_products(a), most_products); // blocks
        const int plane           = C.deep() ? nth / of_plane : 0;
        const block_products some = {plane, (nth - plane * of_plane) * most_products};
        products sums             = begin(b, a, own, some.first);
        each_region(b, a, share, own, some.plane,
                    [&](const coord&, int stage) { sums.add(x_in(b, stage), dy_in(b, stage)); });
        if(is_unusual(b, sums)) [[unlikely]]
            store_one_by_one(b, a, share, own, some);
        else
            store_sums(b, a, sums, share, own, some);
    }

  private:
    static constexpr int most_products = C.most_products(); // of a block
    static constexpr int at_once = C.products_at_once(), stage_bytes = C.stage_bytes(),
                         dy_at = C.halo_bytes(); // of a stage
    using halo_tile            = lds_tile<element, C.halo_layout()>;
    using pixel_tile           = lds_tile<element, C.pixel_layout()>;
    using coord                = conv::region_grid::coord;
    using channels             = conv::weight_channels;
    using products             = typename std::conditional_t<
        C.by_squares(), std::type_identity<conv::weights_by_squares<C, element>>,
        std::conditional_t<
            C.by_rows(), std::type_identity<conv::weights_by_rows<C, element, arguments>>,
            std::conditional_t<C.by_matrix(), std::type_identity<conv::weights_by_matrix<C, element, arguments>>,
                               std::type_identity<weights_by_multiply_adds<C, element>>>>>::type;
    static constexpr bool all_taps = C.by_rows() || C.by_squares(); // whether a block has those of a filter

    static CK_TILE_FN products begin([[maybe_unused]] const block& b, const arguments& a,
                                     [[maybe_unused]] const channels& own, [[maybe_unused]] int first)
    {
        if constexpr(C.by_squares())
            return {a.groups, own};
        else if constexpr(C.by_rows())
            return {b, a};
        else
            return {a, own, first};
    }

    // Of Y, that a block has.
    static CK_TILE_FN int channels_of(const arguments& a)
    {
        return C.by_matrix() ? C.channels / C.slice_columns() * a.groups.of_slice : C.channels;
    }
    static CK_TILE_FN conv::tap_product::filter_products filter_products(const arguments& a)
    {
        return {a.regions.shape.window[1], C.taps};
    }
    static CK_TILE_FN int plane_products(const arguments& a)
    {
        return all_taps ? most_products : a.regions.shape.window[0] * filter_products(a).of_row();
    }
    static CK_TILE_FN halo_tile x_in(const block& b, int stage) { return {b.lds_at<element>(stage * stage_bytes)}; }
    static CK_TILE_FN pixel_tile dy_in(const block& b, int stage)
    {
        return {b.lds_at<element>(stage * stage_bytes + dy_at)};
    }

    static constexpr int channel_dim = C.by_rows() ? 0 : 1; // of what LDS has

    struct copies
    {
        const block& in;
        const arguments& args;
        channels own;
        int tap_plane;
        gemm::operand_copy<conv::halo_window<element, C.halo_copy(), C.halo_classes(), C.by_rows()>, channel_dim> x;
        gemm::operand_copy<conv::halo_window<element, C.pixel_copy(), 1, C.by_rows()>, channel_dim> dy;

        CK_TILE_FN auto move(int number)
        {
            const auto c = args.regions.template at<C.deep()>(number, tap_plane);
            x.operand().move_to(static_cast<const element*>(args.in), c.seen, c.halo, own.x);
            dy.operand().move_to(static_cast<const element*>(args.out), c.made, c.pixel, own.y);
            return c;
        }
        template <bool Async>
        CK_TILE_FN void begin(int stage)
        {
            x.template begin<Async>(x_in(in, stage)), dy.template begin<Async>(dy_in(in, stage));
        }
        template <bool Async>
        CK_TILE_FN void finish(int stage)
        {
            x.template finish<Async>(x_in(in, stage)), dy.template finish<Async>(dy_in(in, stage));
        }
    };

    // add(where, stage) for each region of the block's share.
    template <class F>
    static CK_TILE_FN void each_region(const block& b, const arguments& a, int share, const channels& own,
                                       int tap_plane, F&& add)
    {
        if constexpr(C.by_squares())
        {
            const auto where = [&](int number) { return a.regions.template at<C.deep()>(number, tap_plane); };
            conv::for_each_region_of_boxes<C.stages, C.waves, C.lanes(), C.barriers_at()>(
                b, share, a.regions.order.end, a.shares,
                [&](int number, int stage, auto box) {
                    constexpr int line = C.channels * int(sizeof(element));
                    const coord c      = where(number);
                    box(x_in(b, stage).data, a.maps.in, c.seen_box(own.x), a.regions.shape.halo() * line);
                    box(dy_in(b, stage).data, a.maps.out, c.made_box(own.y), C.patch.pixels() * line);
                },
                [&](int number, int stage) { [[clang::always_inline]] add(where(number), stage); }, [](int) {});
        }
        else
        {
            copies both{b, a, own, tap_plane, {{a.in_lines, a.regions.shape}, 0}, {{a.out_lines, a.pixels}, 0}};
            conv::for_each_region<C.arch, C.stages, !C.by_rows()>(b, both, share, a.regions.order.end, a.shares, add);
        }
    }

    static constexpr distribution one_each = {
        .lengths = {threads}, .wave = {{C.waves, 0, C.lanes()}}, .lane = {{C.lanes(), 0, 1}}, .reg = {}, .vec = {}};

    // Whether any of the block's sums is not finite.
    static CK_TILE_FN bool is_unusual(const block& b, const products& sums)
    {
        tile<float, one_each> found;
        for_each_thread<one_each>([&](thread t) { found.file_of(t).set(0, 0, sums.unusual(t)); });
        return reduce<0>(b, found, [](float p, float q) { return p + q; }).files[0].get(0, 0) != 0;
    }

    // The block's weights, one of each thread after the other, as sums of products whose pixels of X and of dY both exist: 0 for one that does
    // not, times what is not finite, would be a NaN.
    static CK_TILE_FN void store_one_by_one(const block& b, const arguments& a, int share, const channels& own,
                                            const block_products& some)
    {
        const int left = plane_products(a) - some.first,
                  taps =
                      all_taps ? a.regions.shape.plane_taps() : (left < most_products ? left : most_products) * C.taps,
                  group = a.groups.seen.divisor, weights = channels_of(a) * taps * group;
        CK_TILE_KEEP_LOOP
        for(int first = 0; first < weights; first += threads)
        {
            const auto weight_of = [&](thread t) {
                const int number = first + first_element<one_each, 0>(t), rest = number / a.groups.seen,
                          of_y = rest / taps, nth = rest - of_y * taps,
                          tap = all_taps ? nth : filter_products(a).tap(some.first + nth / C.taps, nth % C.taps);
                return number < weights && own.y + of_y < a.channels && tap >= 0
                           ? conv::weight_place{tap, of_y, number - rest * group}
                           : conv::weight_place{0, 0, -1};
            };
            auto sums = fill<float, one_each>(0.f);
            b.sync();
            each_region(b, a, share, own, some.plane, [&](const coord& here, int stage) {
                for_each_thread<one_each>([&](thread t) {
                    if(const conv::weight_place w = weight_of(t); w.of_x >= 0)
                        sums.file_of(t).set(
                            0, 0,
                            product_sum(x_in(b, stage), dy_in(b, stage), a, own, here, w, sums.file_of(t).get(0, 0)));
                });
            });
            for_each_thread<one_each>(
                [&](thread t) { store_weight(a, share, own, some.plane, weight_of(t), sums.file_of(t).get(0, 0)); });
        }
    }

    // `sum` and the products of a region for one weight.
    static CK_TILE_FN float product_sum(const halo_tile& x, const pixel_tile& dy, const arguments& a,
                                        const channels& own, const coord& here, const conv::weight_place& w, float sum)
    {
        const auto& shape        = a.regions.shape;
        const multi_index<2> tap = {w.tap / shape.window[1] * shape.dilation[0],
                                    w.tap % shape.window[1] * shape.dilation[1]};
        const auto exists        = [](const multi_index<2>& at, const multi_index<2>& lengths) {
            return unsigned(at[0]) < unsigned(lengths[0]) && unsigned(at[1]) < unsigned(lengths[1]);
        };
        CK_TILE_KEEP_LOOP
        for(int i = 0; i < a.pixels.halo(); ++i)
        {
            const int line = i / a.pixels.halo_cols, plane = line / a.pixels.halo_rows,
                      plane_seen      = plane * shape.depth.stride;
            const multi_index<2> at   = {line - plane * a.pixels.halo_rows.divisor,
                                         i - line * a.pixels.halo_cols.divisor},
                                 seen = {at[0] * shape.stride[0] + tap[0], at[1] * shape.stride[1] + tap[1]};
            // Rows of planes in LDS are longer than the region's: what is there behind them is another region's.
            if((C.by_rows() && at[1] >= shape.cols.divisor * C.patch.cols) || plane >= here.made.count ||
               unsigned(plane_seen - here.seen.missing) >= unsigned(here.seen.count) ||
               !exists(here.pixel + at, a.out_lines.lengths) || !exists(here.halo + seen, a.in_lines.lengths))
                continue;
            const int pixel  = (plane_seen * shape.halo_rows.divisor + seen[0]) * shape.halo_cols.divisor +
                               shape.template slot_of<C.halo_classes()>(seen[1]);
            const int column = own.column_seen(a.groups, w.of_y) + w.of_x;
            const element *p = C.by_rows() ? dy.at(w.of_y, i) : dy.at(i, w.of_y),
                          *q = C.by_rows() ? x.at(column, pixel) : x.at(pixel, column);
            check_lds_read(p, sizeof *p), check_lds_read(q, sizeof *q);
            sum = __builtin_fmaf(convert<float>(*p), convert<float>(*q), sum);
        }
        return sum;
    }

    // The tap of `w` is one of the plane of the filter.
    static CK_TILE_FN void store_weight(const arguments& a, int share, const channels& own, int tap_plane,
                                        const conv::weight_place& w, float sum)
    {
        const int of_plane = a.regions.shape.plane_taps(), of_channel = a.regions.shape.taps() * a.groups.seen.divisor,
                  at = own.y + w.of_y;
        if(at >= a.channels || w.tap >= of_plane || w.of_x < 0)
            return;
        const int offset =
            at * of_channel + (tap_plane * of_plane + w.tap) * a.wei_strides[0] + w.of_x * a.wei_strides[1];
        if(a.partials != nullptr)
            a.partials[std::int64_t(share) * a.channels * of_channel + offset] = sum;
        else
            static_cast<element*>(a.wei)[offset] = convert<element>(sum);
    }

    // A few products after the others.
    static CK_TILE_FN void store_sums(const block& b, const arguments& a, const products& sums, int share,
                                      const channels& own, const block_products& of_block)
    {
        const int all = plane_products(a);
        register_for<most_products / at_once>([&](auto number) __attribute__((always_inline)) {
            const int first = of_block.first + number * at_once;
            if(first >= all)
                return;
            const auto some  = sums.some(number);
            const auto total = reduce<0>(b, some, [](float p, float q) { return p + q; });
            for_each_thread<decltype(total)::layout>([&](thread t) {
                if(first_element<std::remove_cvref_t<decltype(some)>::layout, 0>(t) != 0)
                    return;
                for_each_element<decltype(total)::layout>([&](auto r, auto v) {
                    store_weight(a, share, own, of_block.plane, sums.weight_of(t, r, v, first),
                                 total.file_of(t).get(r, v));
                });
            });
        });
    }
};

} // namespace ck_tile::narrow_conv_bwd_weight
