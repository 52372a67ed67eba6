// SPDX-License-Identifier: MIT
// Depthwise convolutions by a matrix instruction, a row of the filter at a time, whatever its length: of one channel,
//
//   made [x, y] += sum over k of T [x, k] * seen [k, y],  T [x, k] = weight of tap k - stride * x of the row, or 0
//
// whose rows x are neighbours along a row of the image, and whose columns y are rows of it. T is a Toeplitz matrix: each of its rows is the one
// before, moved. It lies in LDS as the filter's row between zeros, in copies, each an element further, so that what a lane reads of any row is
// aligned. Channels are planes there, of rows of pixels.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/targets/schedule.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/channel_groups.hpp"
#include "ops/grouped_conv/row_product.hpp"
#include "ops/grouped_conv/tap_product.hpp"

namespace ck_tile::conv
{

namespace toeplitz
{

// Copies of a filter's row: a lane reads a run at once where that is aligned; AMD's LDS has an instruction for two words of any alignment.
constexpr int filter_copies(const matrix_instruction& i) { return i.n == 8 ? row_product::run : row_product::run / 2; }

// The row of pixels that column n of a product of so many is. Where a row of LDS is an odd number of 16 bytes long, 4 lanes that have 8 bytes side by side
// of 4 rows each meet different banks in every second row.
constexpr int row_of_column(int columns, int n) { return columns == 8 ? n % 4 * 2 + n / 4 : n; }

// How waves have the pixels of patches: slices of `own` channels side by side, patches one below the other. A lane has all channels of its slice.
constexpr distribution images(const matrix_instruction& i, int waves, int channels, int own, patch p)
{
    const int across = channels / own, down = waves / across;
    const digit of_lane = tap_product::rows_of_lane(i);
    distribution d      = {.lengths = {down * p.pixels(), channels},
                           .wave    = {{across, 1, own}, {down, 0, p.pixels()}},
                           .lane    = {},
                           .reg     = {{of_lane.extent, 0, 1}, {p.cols / i.m, 0, i.m}},
                           .vec     = {{own, 1, 1}}};
    for(int l = 0; l < i.c.lane.count; ++l)
        if(const digit lane = i.c.lane.at[l]; lane.moves_along(0))
            d.lane.push({lane.extent, 0, of_lane.stride == 1 ? lane.stride : lane.stride * of_lane.extent});
        else
            for(int beyond = 1; beyond < lane.extent; beyond *= 2)
                d.lane.push({2, 0, row_of_column(i.n, beyond * lane.stride) * p.cols});
    if(i.c.vec.only(1).size() > 1)
        d.reg.push({2, 0, row_of_column(i.n, 1) * p.cols});
    d.reg.push({p.rows / i.n, 0, i.n * p.cols});
    return d;
}

} // namespace toeplitz

// C: a configuration. Arguments: as narrow_program has them.
template <auto C, class Element, class Arguments>
class images_by_rows
{
    static constexpr bool backward           = C.made == direction::backward_data;
    static constexpr matrix_instruction inst = C.instruction();
    static constexpr distribution pixels     = C.rows();
    static constexpr distribution weight     = tap_product::operand(inst.a, C.waves, inst.m);
    static constexpr distribution seen       = tap_product::operand(inst.b, C.waves, inst.n);
    static constexpr distribution of_product = tap_product::result(inst, C.waves, inst.n);
    static constexpr digit of_lane           = tap_product::rows_of_lane(inst);
    static constexpr int own = pixels.vecs(), copies = copies_of(C.threads()), run = row_product::run,
                         shifted = toeplitz::filter_copies(inst); // copies of the filter
    static constexpr int steps = C.row_steps(), down = C.patch.rows / inst.n, along = C.patch.cols / inst.m;
    static constexpr int line = C.filter_line(), next_product = shifted * line,
                         of_channel = C.window.cols * next_product;
    static constexpr int bias_at    = C.weights_at() + C.channels * of_channel * int(sizeof(Element));
    using halo_tile                 = lds_tile<Element, C.halo_layout()>;
    using sums                      = tile<float, of_product>;

  public:
    // Rows of the filter go to LDS, and behind them what sums begin with: for make() behind a sync. `first_seen`: the channel of plane 0 of
    // halos.
    CK_TILE_FN images_by_rows(const block& b, const Arguments& a, const channel_slices& made, int first_seen)
        : block_(b), shape_(a.regions.shape), groups_(a.groups), made_(made), first_seen_(first_seen)
    {
        // Behind the last plane too, which is read, times 0.
        zero(b, halo_tile::bytes, C.halo_bytes() - halo_tile::bytes);
        zero(b, C.weights_at(), C.channels * of_channel * int(sizeof(Element)));
        b.sync();
        const int length = shape_.window[1], taps = shape_.plane_taps();
        for_each_index<pixels>(C.channels * taps, [&](thread t, int i) {
            const int column = i / taps, nth = i - column * taps, row = nth / length, x = nth - row * length;
            const int channel = made[column], tap = backward ? taps - 1 - nth : nth;
            if(!made.has(column) || channel >= a.channels)
                return;
            const Element w = static_cast<const Element*>(a.wei)[channel * taps + tap];
            auto to         = b.lds_of<Element>(t, C.weights_at());
            for(int copy = 0; copy < shifted; ++copy)
                to[column * of_channel + row * next_product + copy * line + first_tap() + copy +
                   x * shape_.dilation[1]] = w;
        });
        for_each_index<pixels>(C.channels, [&](thread t, int column) {
            const int channel = made[column];
            const bool exists = made.has(column) && channel < a.channels && a.bias != nullptr;
            b.lds_of<float>(t, bias_at)[column] =
                exists ? convert<float>(static_cast<const Element*>(a.bias)[channel]) : 0.f;
        });
    }

    // To what is added to them, the pixels of the patches from `first` on that a block computes at once. Returns whether some of the thread are
    // not finite, which may be so for what they do not see, times 0: they are for make_unusual() then.
    CK_TILE_FN bool make(tile<Element, pixels>& made, const halo_tile& from, int first, activation how) const
    {
        const operands at(*this, from, first);
        float unusual = 0;
        // Two channels at a time, which are a register of what is made, and of which one's products hide what the other one's wait for.
        register_for<own / 2>([&](auto pair) __attribute__((always_inline)) {
            sums acc[2][down * along];
            for_each_thread<of_product>([&](thread t) {
                register_for<2>([&](auto odd) {
                    const float start = bias_of(t, 2 * pair + odd);
                    register_for<down * along>([&](auto i) {
                        for_each_element<of_product>([&](auto r, auto e) { acc[odd][i].file_of(t).set(r, e, start); });
                    });
                });
            });
            operands here = at;
            here.move_to(2 * pair);
            each_row(here, [&] { register_for<2>([&](auto odd) { multiply(acc[odd], here, odd); }); });
            for_each_thread<of_product>([&](thread t) {
                register_for<2 * down * along>(
                    [&](auto i) { unusual += nan_unless_finite<of_product>(acc[i % 2][i / 2].file_of(t)); });
            });
            with_activation(how, [&](const auto& activate) {
                for_each_thread<pixels>([&](thread t) {
                    auto& to = made.file_of(t);
                    each_pixel([&](auto i, auto r, auto e, auto pixel) {
                        register_for<2>([&](auto odd) {
                            const int v     = 2 * pair + odd;
                            const float sum = acc[odd][i].file_of(t).get(r, e) + convert<float>(to.get(pixel, v));
                            to.set(pixel, v, convert<Element>(activate(sum)));
                        });
                    });
                });
            });
        });
        return unusual != 0;
    }

    // The same by multiply-adds of what each pixel sees.
    CK_TILE_FN void make_unusual(tile<Element, pixels>& made, const halo_tile& from, int first, activation how) const
    {
        const int pitch = opaque(shape_.halo_cols.divisor);
        for_each_thread<pixels>([&](thread t) {
            auto& to              = made.file_of(t);
            const int first_pixel = first_element<pixels, 0>(t) % C.patch.pixels(), seen = first_input(t, first);
            register_for<pixels.regs()>([&](auto pixel) {
                const int inside = first_pixel + reach<pixels.reg, 0>(pixel),
                          input  = seen + inside / C.patch.cols * shape_.stride[0] * pitch +
                                   inside % C.patch.cols * shape_.stride[1];
                CK_TILE_KEEP_LOOP
                for(int v = 0; v < own; ++v)
                {
                    float sum = sum_of(t, from, input, v);
                    register_for<own>([&](auto i) { sum += i == v ? convert<float>(to.get(pixel, i)) : 0; });
                    sum = activate(how, sum);
                    register_for<own>(
                        [&](auto i) { to.set(pixel, i, i == v ? convert<Element>(sum) : to.get(pixel, i)); });
                }
            });
        });
    }

  private:
    // Where a thread's parts of both operands are: of T a row or two, of what is seen a row of pixels.
    struct operands
    {
        // Of two channels, whose planes lie side by side, unless each may see any.
        static constexpr int planes = C.takes_multipliers() ? 2 : 1;
        struct own_addresses
        {
            const Element *filter[weight.regs()], *pixel[planes];
        };
        ck_tile::detail::per_thread<own_addresses, copies> of_first, now;
        const images_by_rows& images;
        int pitch; // elements from row to row of the halo

        CK_TILE_FN operands(const images_by_rows& made_of, const halo_tile& from, int first)
            : images(made_of), pitch(images.shape_.halo_cols.divisor)
        {
            for_each_thread<pixels>([&](thread t) {
                own_addresses& o  = of_first[t.copy];
                const auto filter = images.block_.template lds_of<Element>(t, C.weights_at());
                register_for<weight.regs()>([&](auto r) {
                    const int beyond =
                        images.shape_.stride[1] * x_of_row(reach<weight.lane, 0>(t.lane) + reach<weight.reg, 0>(r));
                    o.filter[r] = filter + (beyond % shifted * line + images.first_tap() - beyond / shifted * shifted +
                                            reach<weight.lane, 1>(t.lane));
                });
                const int row = toeplitz::row_of_column(inst.n, reach<seen.lane, 0>(t.lane));
                for(const Element*& pixel : o.pixel)
                    pixel = from.data + images.first_input(t, first) + row * images.shape_.stride[0] * pitch +
                            reach<seen.lane, 1>(t.lane);
            });
        }
        // To the thread's channels `v` and the next one.
        CK_TILE_FN void move_to(int v)
        {
            for_each_thread<pixels>([&](thread t) {
                now[t.copy]      = of_first[t.copy];
                const int column = first_element<pixels, 1>(t) + v;
                register_for<weight.regs()>([&](auto r) { now[t.copy].filter[r] += column * of_channel; });
                register_for<planes>([&](auto i) { now[t.copy].pixel[i] += images.plane_seen(column + i) * C.halo; });
            });
        }
        // To the filter's next row, which sees what is so many elements further.
        CK_TILE_FN void next(int elements)
        {
            for_each_thread<pixels>([&](thread t) {
                register_for<weight.regs()>([&](auto r) { now[t.copy].filter[r] += next_product; });
                register_for<planes>([&](auto i) { now[t.copy].pixel[i] += elements; });
            });
        }
        // Part `step` of T, of the first channel or the `odd` one.
        CK_TILE_FN void load_filter(tile<Element, weight>& to, int odd, int step) const
        {
            for_each_thread<weight>([&](thread t) {
                register_for<weight.regs()>([&](auto r) {
                    row_product::load<Element, weight.vecs(), shifted>(
                        to.file_of(t).reg[r], now[t.copy].filter[r] + odd * of_channel + step * inst.k);
                });
            });
        }
        // Of pixels of rows `row` further, those from `step` products further on.
        CK_TILE_FN void load_pixels(tile<Element, seen>& to, int odd, int row, int step) const
        {
            const int beyond = row * images.shape_.stride[0] * pitch + step * inst.k + (planes == 1 ? odd * C.halo : 0);
            for_each_thread<seen>([&](thread t) {
                row_product::load<Element, seen.vecs(), run>(to.file_of(t).reg[0],
                                                             now[t.copy].pixel[planes == 1 ? 0 : odd] + beyond);
            });
        }
    };

    // f() for each row of the filter.
    CK_TILE_FN void each_row(operands& here, const auto& f) const
    {
        const int next_row = shape_.dilation[0] * here.pitch;
        CK_TILE_KEEP_LOOP
        for(int y = 0; y < shape_.window[0]; ++y, here.next(next_row))
            f();
    }

    static CK_TILE_FN void multiply(sums (&acc)[down * along], const operands& here, int odd)
    {
        tile<Element, weight> filter[steps];
        register_for<steps>([&](auto s) { here.load_filter(filter[s], odd, s); });
        register_for<down>([&](auto j) {
            tile<Element, seen> row[along + steps - 1];
            register_for<along + steps - 1>([&](auto s) { here.load_pixels(row[s], odd, j * inst.n, s); });
            register_for<along * steps>([&](auto n) {
                const int i = n / steps, s = n % steps;
                ck_tile::detail::multiply_files<inst.op, 1, 1, 1, C.waves, fragment_range{0, 1, 0, 1}>(
                    acc[j * along + i].files, filter[s].files, row[i + s].files);
            });
        });
    }

    // f(product, register, element, register of `pixels`) of each pixel of a lane.
    static CK_TILE_FN void each_pixel(auto&& f)
    {
        constexpr int beside = inst.c.vec.only(1).size() > 0 ? inst.c.vec.only(1).size() : 1,
                      cols   = along * of_lane.extent;
        register_for<down * along>([&](auto i) {
            for_each_element<of_product>([&](auto r, auto e) {
                const int row = i / along * beside + reach<of_product.vec, 1>(e),
                          col = i % along * of_lane.extent + reach<of_product.vec, 0>(e) / of_lane.stride;
                f(i, r, e, row * cols + col);
            });
        });
    }

    // Of the thread's `v`th channel, the pixel that sees pixel `input` of a plane of the halo first.
    CK_TILE_FN float sum_of(thread t, const halo_tile& from, int input, int v) const
    {
        const int column = first_element<pixels, 1>(t) + v, length = shape_.window[1];
        const Element* const of_plane = from.data + plane_seen(column) * C.halo + input;
        const auto filter             = block_.lds_of<Element>(t, C.weights_at()) + column * of_channel + first_tap();
        float sum                     = bias_of(t, v);
        CK_TILE_KEEP_LOOP
        for(int nth = 0; nth < shape_.plane_taps(); ++nth)
        {
            const int row = nth / length, x = (nth - row * length) * shape_.dilation[1];
            const Element* const at = of_plane + row * shape_.dilation[0] * shape_.halo_cols.divisor + x;
            check_lds_read(at, sizeof *at);
            sum = __builtin_fmaf(convert<float>(*at), convert<float>(Element(filter[row * next_product + x])), sum);
        }
        return sum;
    }
    CK_TILE_FN float bias_of(thread t, int v) const
    {
        return block_.lds_of<float>(t, bias_at)[first_element<pixels, 1>(t) + v];
    }

    // Where a filter's row begins in its first copy: behind what the last row of T moves it.
    CK_TILE_FN int first_tap() const { return (inst.m - 1) * shape_.stride[1] / shifted * shifted; }
    // The pixel that row m of a product is, so that those of a lane lie side by side.
    static CK_TILE_FN constexpr int x_of_row(int m) { return tap_product::channel_of_row<of_lane>(m); }
    CK_TILE_FN int plane_seen(int column) const
    {
        return C.takes_multipliers() ? groups_.first_seen(made_[column]) - first_seen_ : column;
    }
    // What the first pixel of the patch of the thread's wave sees first.
    CK_TILE_FN int first_input(thread t, int first) const
    {
        const int number = first + first_element<pixels, 0>(t) / C.patch.pixels();
        return shape_.first_input(number < shape_.patches() ? number : 0);
    }
    static CK_TILE_FN void zero(const block& b, int at, int bytes)
    {
        using words = vector<unsigned, 4>;
        for_each_index<pixels>(bytes / 16, [&](thread t, int i) { b.lds_of<words>(t, at)[i] = words{}; });
    }

    const block& block_;
    region_shape shape_;
    channel_groups groups_;
    channel_slices made_;
    int first_seen_;
};

} // namespace ck_tile::conv
