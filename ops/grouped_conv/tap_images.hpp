// SPDX-License-Identifier: MIT
// Images by tap products: see tap_product.hpp. Operands are of registers here: of weights waves keep them, or, of any window, the block in LDS, and
// the halo is read from LDS as it lies. lds_images.hpp has those that stay in LDS.
//
// Channels of other groups are multiplied by 0. A NaN or an infinity among them would reach a sum, as 0 times either is a NaN: a thread that
// finds one among its sums makes them again one by one.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ops/grouped_conv/channel_groups.hpp"
#include "ops/grouped_conv/tap_product.hpp"

namespace ck_tile::conv
{

// What all kinds of such products know of the problem, and what they do where a sum is not finite. C: a configuration. Arguments: as narrow_program
// has them.
template <auto C, class Element, class Arguments>
class images_by_taps
{
  protected:
    static constexpr direction made      = C.made;
    static constexpr bool any            = C.window.any();
    static constexpr distribution pixels = C.rows();
    static constexpr patch own_patch     = C.own_patch(); // of a patch: pixels of a lane
    // Of a lane's channels, so many side by side, and from one such run to the next.
    static constexpr int run = pixels.vecs(), runs = pixels.reg.only(1).size(),
                         apart   = runs > 1 ? pixels.reg.only(1).at[0].stride : 1;
    static constexpr int classes = C.halo_classes(); // of pixels of a row of the halo

    CK_TILE_FN images_by_taps(const Arguments& a, const channel_slices& made_channels, int first_seen)
        : wei_(static_cast<const Element*>(a.wei)),
          wei_strides_(a.wei_strides),
          groups_(a.groups),
          channels_(a.channels),
          shape_(a.regions.shape),
          made_channels_(made_channels),
          first_seen_(first_seen)
    {
        for_each_thread<pixels>([&](thread t) {
            register_for<runs>([&](auto i) {
                const int first = made_channels_[first_element<pixels, 1>(t) + i * apart];
                register_for<run>([&](auto v) {
                    const auto* bias = static_cast<const Element*>(a.bias);
                    start_[t.copy].values[i * run + v] =
                        bias != nullptr && first + v < a.channels ? convert<float>(bias[first + v]) : 0.f;
                });
            });
        });
    }

    CK_TILE_FN int number_of_taps() const { return C.deep() ? shape_.taps() : filter_rows() * filter_cols(); }
    CK_TILE_FN int filter_rows() const { return any ? shape_.window[0] : C.window.rows; }
    CK_TILE_FN int filter_cols() const { return any ? shape_.window[1] : C.window.cols; }
    // Lines of the halo from a pixel of what is made to the next one.
    CK_TILE_FN int row_step() const
    {
        return made != direction::forward ? 1 : any ? shape_.stride[0] : C.window.stride;
    }
    static CK_TILE_FN int col_step(const region_shape& shape)
    {
        if(made == direction::backward_data)
            return 1;
        return any ? shape.stride[1] : C.window.stride;
    }

    // The line of the halo that a pixel sees through its `number`th tap along a dimension; -1: none.
    CK_TILE_FN int line_seen(int d, int number, int pixel) const
    {
        if(any)
            return pixel * (made == direction::forward ? shape_.stride[d] : 1) + number * shape_.dilation[d];
        const int filter = d == 0 ? C.window.rows : C.window.cols, stride = C.stride();
        if(made == direction::forward)
            return pixel * stride + number;
        const int beyond = pixel + number - (filter - 1) % stride;
        return beyond % stride == 0 ? beyond / stride : -1;
    }

    CK_TILE_FN Element weight_of(int channel, int channel_seen, int tap) const
    {
        const bool forward     = made == direction::forward;
        const int of_y         = forward ? channel : channel_seen;
        const divider& group_x = forward ? groups_.seen : groups_.made;
        return of_y < channels_ ? wei_[of_y * number_of_taps() * group_x.divisor + tap * wei_strides_[0] +
                                       (forward ? channel_seen : channel) % group_x * wei_strides_[1]]
                                : Element(0);
    }

    // Of patch `first` and those behind it.
    CK_TILE_FN void make_again_if_unusual(auto& sums, thread t, const auto& from, int first) const
    {
        if(nan_unless_finite<pixels>(sums) == 0) [[likely]]
            return;
        const int inside = first_element<pixels, 0>(t) % C.patch.pixels(), first_row = inside / C.patch.cols,
                  n = inside % C.patch.cols / C.classes(); // of a row of the patch, of so many pixels
        const int m = first_element<pixels, 1>(t);
        if(!made_channels_.has(m))
            return;
        const int number = first + first_element<pixels, 0>(t) / C.patch.pixels();
        if(number >= shape_.patches())
            return;
        const int input = shape_.template first_input<classes>(number), taps = number_of_taps(),
                  step = col_step(shape_);
        for_each_element<pixels>([&](auto r, auto v) {
            const int own = reach<pixels.reg, 1>(r) / apart * run + v;
            sums.set(r, v, start_[t.copy].values[own]);
        });
        CK_TILE_KEEP_LOOP
        for(int i = 0; i < taps * groups_.seen.divisor; ++i)
        {
            // Taps in the order in which a pixel sees lines of the halo: those of dX from the last one on.
            const int nth = i / groups_.seen, k = i - nth * groups_.seen.divisor,
                      tap   = made == direction::backward_data ? taps - 1 - nth : nth,
                      plane = C.deep() ? nth / shape_.plane_taps() : 0, seen = nth - plane * shape_.plane_taps();
            for_each_element<pixels>([&](auto r, auto v) {
                const int beyond = reach<pixels.reg, 0>(r), row = beyond / C.patch.cols, col = beyond % C.patch.cols,
                          column = m + reach<pixels.reg, 1>(r), channel = made_channels_[column] + v,
                          channel_seen = groups_.first_seen(channel) + k;
                const int y            = line_seen(0, seen / filter_cols(), first_row + row),
                          x            = line_seen(1, seen % filter_cols(), col % C.classes());
                if(y < 0 || x < 0 || !made_channels_.has(column))
                    return;
                const Element* at =
                    from.at(input + shape_.beyond_first(direction::forward, plane) + y * shape_.halo_cols.divisor +
                                shape_.template slot_of<classes>(x + (n + col / C.classes()) * step),
                            channel_seen - first_seen_);
                check_lds_read(at, sizeof *at);
                const Element w = weight_of(channel, channel_seen, tap);
                sums.set(r, v, __builtin_fmaf(convert<float>(*at), convert<float>(w), sums.get(r, v)));
            });
        }
    }

    const Element* wei_;
    multi_index<2> wei_strides_;
    channel_groups groups_;
    int channels_; // of Y
    region_shape shape_;
    channel_slices made_channels_;
    int first_seen_;
    struct of_lane
    {
        float values[runs * run];
    };
    ck_tile::detail::per_thread<of_lane, copies_of(C.threads())> start_; // what sums of a channel begin with
};

// Of operands in registers.
template <auto C, class Element, class Arguments>
class images_by_matrix : images_by_taps<C, Element, Arguments>
{
    using taps = images_by_taps<C, Element, Arguments>;
    using taps::made, taps::any, taps::pixels, taps::own_patch, taps::classes;
    using taps::number_of_taps, taps::filter_rows, taps::filter_cols, taps::row_step, taps::col_step, taps::weight_of,
        taps::make_again_if_unusual;
    using taps::groups_, taps::shape_, taps::made_channels_, taps::first_seen_, taps::start_;
    static constexpr matrix_instruction inst = C.instruction();
    static constexpr int kept                = any ? 0 : C.products().taps(); // products whose weights are in registers
    static constexpr patch column            = {C.patch.rows, C.classes()};   // of a patch: pixels of one product each
    static constexpr distribution weight     = tap_product::operand(inst.a, C.waves, inst.m);
    static constexpr distribution seen       = tap_product::operand(inst.b, C.waves, inst.n);
    static constexpr distribution of_product = tap_product::result(inst, C.waves, inst.n);
    static constexpr digit of_lane           = tap_product::rows_of_lane(inst);
    static constexpr int copies              = copies_of(C.threads());
    static constexpr int line = C.halo_layout().line(), next_product = C.taps * line, weights_at = C.weights_at();
    static constexpr int across = C.across(), down = C.down(), lanes = C.lanes(), group_slices = C.group_slices();
    static constexpr int of_operand = weight.regs() * weight.vecs(), operand_bytes = of_operand * int(sizeof(Element)),
                         next_operand = C.operand_bytes() / int(sizeof(Element)); // elements; of a lane, of all of them
    using halo_tile                   = lds_tile<Element, C.halo_layout()>;

  public:
    // `first_seen`: the channel of column 0 of halos.
    CK_TILE_FN images_by_matrix(const block& b, const Arguments& a, const channel_slices& made_channels, int first_seen)
        : taps(a, made_channels, first_seen)
    {
        if constexpr(any)
            put_weights(b);
        else
            register_for<kept>([&](auto tap) { weights_[tap] = weights_of([&](thread) { return int(tap); }); });
    }

    // Of the patches from `first` on that a block computes at once.
    CK_TILE_FN tile<float, pixels> sums(const halo_tile& from, int first) const
    {
        tile<float, of_product> acc[column.pixels()];
        for_each_thread<of_product>([&](thread t) {
            register_for<column.pixels()>([&](auto i) {
                for_each_element<of_product>(
                    [&](auto r, auto v) { acc[i].file_of(t).set(r, v, start_[t.copy].values[row_of_lane(v)]); });
            });
        });
        rows halo(from, shape_, first, [&](thread t) { return seen_column(t, 0); });
        const auto multiply = [&](int pixel, const tile<Element, weight>& w, const tile<Element, seen>& x) {
            ck_tile::detail::multiply_files<inst.op, 1, 1, 1, C.waves, fragment_range{0, 1, 0, 1}>(acc[pixel].files,
                                                                                                   w.files, x.files);
        };
        if constexpr(any)
            each_tap(halo, multiply);
        else
            slide_over<made, C.products(), column, tile<Element, seen>>(
                halo,
                [&](int pixel, int product, const tile<Element, seen>& x) { multiply(pixel, weights_[product], x); });
        tile<float, pixels> made_of;
        for_each_thread<pixels>([&](thread t) {
            auto& to = made_of.file_of(t);
            register_for<column.pixels()>([&](auto i) {
                for_each_element<of_product>([&](auto r, auto v) {
                    const int of_row = reach<of_product.vec, 1>(v) * column.cols + i % column.cols;
                    to.set(i / column.cols * own_patch.cols + of_row, row_of_lane(v), acc[i].file_of(t).get(r, v));
                });
            });
        });
        for_each_thread<pixels>([&](thread t) { make_again_if_unusual(made_of.file_of(t), t, from, first); });
        return made_of;
    }

  private:
    // Rows of the halo as operands: a lane has a few channels of a pixel of each.
    struct rows
    {
        ck_tile::detail::per_thread<const Element*, copies> at;
        int pitch, next_class;

        CK_TILE_FN rows(const halo_tile& from, const region_shape& shape, int first, auto&& column_of)
            : pitch(shape.halo_cols.divisor * line), next_class(shape.template next_class<classes>() * line)
        {
            for_each_thread<seen>([&](thread t) {
                const int n = reach<seen.lane, 0>(t.lane), k = reach<seen.lane, 1>(t.lane);
                at[t.copy] = from.at(first_input(shape, t, first, n), column_of(t) + k);
            });
        }
        CK_TILE_FN void load(tile<Element, seen>& to, int j) const
        {
            load_at(to, slot_of<classes>(j, next_class, next_product));
        }
        // What is so many elements beyond.
        CK_TILE_FN void load_at(tile<Element, seen>& to, int beyond) const
        {
            for_each_thread<seen>([&](thread t) {
                constexpr int bytes = seen.vecs() * int(sizeof(Element)), of_pixel = line * int(sizeof(Element)),
                              alignment = bytes < 16 ? bytes : 16;
                const Element* from     = at[t.copy] + beyond;
                check_lds_read(from, bytes);
                __builtin_memcpy(to.file_of(t).reg,
                                 __builtin_assume_aligned(from, of_pixel < alignment ? of_pixel : alignment), bytes);
            });
        }
        CK_TILE_FN void next()
        {
            for_each_thread<seen>([&](thread t) { at[t.copy] += pitch; });
        }
    };

    // Of any window, one product after the other: multiply(pixel, weights, what it sees through the taps).
    CK_TILE_FN void each_tap(rows halo, const auto& multiply) const
    {
        const multi_index<2> window = shape_.window, dilation = shape_.dilation;
        const int pitch = halo.pitch, next_row = row_step() * pitch, next_tap = dilation[1] * next_product,
                  of_row = products().of_row(), back = dilation[0] * pitch - of_row * next_tap;
        const bool backward = made == direction::backward_data;
        const int last_tap  = dilation[0] * pitch * (window[0] - 1) + next_tap * (of_row - 1);
        const int sign      = backward ? -1 : 1;
        int number          = 0;
        CK_TILE_KEEP_LOOP
        for(int plane = 0; plane < (C.deep() ? shape_.depth.taps : 1); ++plane)
        {
            int beyond = (C.deep() ? shape_.beyond_first(made, plane) * line : 0) + (backward ? last_tap : 0);
            CK_TILE_KEEP_LOOP
            for(int y = 0; y < window[0]; ++y, beyond += sign * back)
                CK_TILE_KEEP_LOOP
            for(int x = 0; x < of_row; ++x, beyond += sign * next_tap)
                register_for<group_slices>([&](auto other) {
                    tile<Element, weight> w;
                    load_weights(w, number++);
                    register_for<column.rows>([&](auto row) {
                        tile<Element, seen> some;
                        halo.load_at(some, beyond + row * next_row + other * tap_product::channels);
                        multiply(row, w, some);
                    });
                });
        }
    }

    // The operands of products, one for each slice of a group, of which each wave has one.
    CK_TILE_FN tile<Element, weight> weights_of(const auto& number_of) const
    {
        tile<Element, weight> w;
        for_each_thread<weight>([&](thread t) {
            const int number = number_of(t), product = number / group_slices, made_first = first_of_slice(t),
                      seen_first = first_seen_ + seen_column(t, number % group_slices);
            for_each_element<weight>([&](auto r, auto v) {
                const int m              = tap_product::channel_of_row<of_lane>(reach<weight.lane, 0>(t.lane) +
                                                                                reach<weight.reg, 0>(r)),
                          k              = reach<weight.lane, 1>(t.lane) + v;
                const tap_column seen_as = column_of(product, k);
                w.file_of(t).set(r, v,
                                 seen_as.tap >= 0 && groups_.same(made_first + m, seen_first + seen_as.column)
                                     ? weight_of(made_first + m, seen_first + seen_as.column, seen_as.tap)
                                     : Element(0));
            });
        });
        return w;
    }

    // To LDS, as [slice, product, slice of a group, lane]: for sums() behind a sync.
    CK_TILE_FN void put_weights(const block& b)
    {
        const int products   = number_of_products() * group_slices;
        const auto number_of = [&](thread t, int round) { return round * down + t.wave / across; };
        for_each_thread<weight>([&](thread t) {
            const int slice = t.wave % across;
            weights_in_lds_[t.copy] =
                b.lds_of<Element>(t, weights_at) + (slice * products * lanes + t.lane) * of_operand;
        });
        CK_TILE_KEEP_LOOP
        for(int round = 0; number_of({}, round) < products; ++round)
        {
            const auto w =
                weights_of([&](thread t) { return number_of(t, round) < products ? number_of(t, round) : 0; });
            for_each_thread<weight>([&](thread t) {
                if(number_of(t, round) >= products)
                    return;
                Element* to = weights_in_lds_[t.copy] + number_of(t, round) * next_operand;
                check_lds_write(to, w.file_of(t).reg, operand_bytes);
                __builtin_memcpy(__builtin_assume_aligned(to, operand_bytes < 16 ? operand_bytes : 16),
                                 w.file_of(t).reg, operand_bytes);
            });
        }
    }
    CK_TILE_FN void load_weights(tile<Element, weight>& w, int number) const
    {
        for_each_thread<weight>([&](thread t) {
            const Element* from = weights_in_lds_[t.copy] + number * next_operand;
            check_lds_read(from, operand_bytes);
            __builtin_memcpy(w.file_of(t).reg, __builtin_assume_aligned(from, operand_bytes < 16 ? operand_bytes : 16),
                             operand_bytes);
        });
    }

    CK_TILE_FN tap_product::filter_products products() const { return {filter_cols(), C.taps}; }
    CK_TILE_FN int number_of_products() const
    {
        return (C.deep() ? shape_.depth.taps : 1) * filter_rows() * products().of_row();
    }

    // Column k of a product: the tap, -1 behind the last one of a row, and the column of the halo.
    struct tap_column
    {
        int tap, column;
    };
    CK_TILE_FN tap_column column_of(int product, int k) const
    {
        if constexpr(C.taps == 1)
            return {product, k};
        return {products().tap(product, k / line), k % line};
    }
    static CK_TILE_FN constexpr int row_of_lane(int v) { return reach<of_product.vec, 0>(v) / of_lane.stride; }
    // Of what the thread's wave makes.
    CK_TILE_FN int first_of_slice(thread t) const { return made_channels_[t.wave % across * tap_product::channels]; }
    // The column of halos from which on its slice sees them; of several slices of a group, each after the other. Where products take several taps,
    // all columns, also of a slice behind the last channel, which would be another group's.
    CK_TILE_FN int seen_column(thread t, int other) const
    {
        return C.taps > 1 ? 0
                          : groups_.template vector_seen<C.vector()>(first_of_slice(t)) - first_seen_ +
                                other * tap_product::channels;
    }

    // What the first window of pixel n of the wave's product sees first, of the first row of its patch.
    static CK_TILE_FN int first_input(const region_shape& shape, thread t, int first, int n)
    {
        const int number = first + (t.wave / across * inst.n + n) / tap_product::width;
        return shape.template first_input<classes>(number < shape.patches() ? number : 0) +
               n % tap_product::width * col_step(shape) / classes;
    }

    tile<Element, weight> weights_[any ? 1 : kept];
    ck_tile::detail::per_thread<Element*, copies> weights_in_lds_; // of a thread's lane and slice
};

} // namespace ck_tile::conv
