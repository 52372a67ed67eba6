// SPDX-License-Identifier: MIT
// Sums of weight gradients by tap products: see tap_product.hpp. A wave has all taps of a slice of 16 channels, of its patches of each region:
// two rows of pixels of patches are the columns of both operands, which lie across in LDS. Of any window, a wave has a few taps. Where a product
// takes several taps, the columns of X are the channels of neighbouring pixels.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/columns_in_lds.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/channel_groups.hpp"
#include "ops/grouped_conv/tap_product.hpp"

namespace ck_tile::conv
{

// Which weight a thread has: the tap, of those that are added up at once, the channel of Y, of the block's, and that of X, of its group; -1: of
// another one, or of a channel of Y that another slice has.
struct weight_place
{
    int tap, of_y, of_x;
};

// The channels of Y and of X that columns 0 of a block's dY and of its halos are.
struct weight_channels
{
    int y, x;

    // The first column of halos whose channel is of the group of a column of dY.
    CK_TILE_FN int column_seen(const channel_groups& groups, int of_y) const { return groups.first_seen(y + of_y) - x; }
};

// C: a configuration. Arguments: as the kernel of backward weight has them.
template <auto C, class Element, class Arguments>
class weights_by_matrix
{
    static constexpr int channels = tap_product::channels, width = tap_product::width, at_once = C.products_at_once();
    static constexpr matrix_instruction inst = C.instruction();
    static constexpr patch column            = {C.patch.rows, 1};
    static constexpr distribution dy_columns = tap_product::operand(inst.a, C.waves, channels),
                                  x_columns  = tap_product::operand(inst.b, C.waves, channels),
                                  products = tap_product::result(inst, C.waves, channels), some_sums = C.sums(at_once);
    static constexpr int of_product = products.regs(), patches_at_once = C.patches_at_once();
    static constexpr int line = C.halo_layout().line(), pixel_line = C.pixel_layout().line(), across = C.across();
    static constexpr int next_product = C.taps * line, classes = C.halo_classes();
    using halo_tile  = lds_tile<Element, C.halo_layout()>;
    using pixel_tile = lds_tile<Element, C.pixel_layout()>;

  public:
    CK_TILE_FN weights_by_matrix(const Arguments& a, const weight_channels& own, int first_product)
        : shape_(a.regions.shape), pixels_(a.pixels), groups_(a.groups), channels_(own), first_product_(first_product)
    {
        register_for<C.products().taps()>([&](auto product) { sums_[product] = fill<float, products>(0.f); });
    }

    // The products of a region.
    CK_TILE_FN void add(const halo_tile& x, const pixel_tile& y)
    {
        CK_TILE_KEEP_LOOP
        for(int first = 0; first < shape_.patches(); first += patches_at_once)
        {
            tile<Element, dy_columns> dy[column.rows];
            load_rows(dy, y, first);
            rows halo{columns_in_lds<Element, x_columns>([&](thread t, int k) {
                          const int n = tap_product::pixel_of_column(k);
                          return x.at(shape_.template first_input<classes>(existing(patch_of(t, first, n))) +
                                          n % width * col_step() / classes,
                                      first_x(slice_of(t)) - channels_.x);
                      }),
                      shape_.halo_cols.divisor * line, shape_.template next_class<classes>() * line};
            const auto multiply = [&](int pixel, int product, const tile<Element, x_columns>& seen) {
                ck_tile::detail::multiply_files<inst.op, 1, channels / inst.n, 1, C.waves,
                                                fragment_range{0, 1, 0, channels / inst.n}>(
                    sums_[product].files, dy[pixel].files, seen.files);
            };
            if constexpr(C.window.any())
                each_product(halo, multiply);
            else
                slide_over<C.made, C.products(), column, tile<Element, x_columns>>(halo, multiply);
        }
    }

    // The sums of `at_once` products of each thread, and, of those of a filter from `first` on, which weights they are.
    CK_TILE_FN tile<float, some_sums> some(int number) const
    {
        tile<float, some_sums> s;
        for_each_thread<some_sums>([&](thread t) {
            register_for<at_once>([&](auto i) {
                for_each_element<products>([&](auto r, auto v) {
                    s.file_of(t).set(i * of_product + r, v, sums_[number * at_once + i].file_of(t).get(r, v));
                });
            });
        });
        return s;
    }
    CK_TILE_FN weight_place weight_of(thread t, int r, int v, int first) const
    {
        const int all = first_element<some_sums, 1>(t) + reach<some_sums.reg, 1>(r) + reach<some_sums.vec, 1>(v);
        const int n = all % channels, m = all / channels % channels, of_slice = all / (channels * channels);
        const int slice = of_slice / at_once, of_y = slice * groups_.of_slice + m,
                  x   = first_x(slice) + (C.taps == 1 ? n : n % line),
                  tap = filter_products().tap(first + of_slice % at_once, C.taps == 1 ? 0 : n / line);
        return {tap, of_y,
                tap >= 0 && m < groups_.of_slice && groups_.same(channels_.y + of_y, x) ? x % groups_.seen : -1};
    }

    // Not 0 where something of a thread's sums is not finite.
    CK_TILE_FN float unusual(thread t) const
    {
        float found = 0;
        register_for<C.products().taps()>(
            [&](auto product) { found += nan_unless_finite<products>(sums_[product].file_of(t)); });
        return found;
    }

  private:
    struct rows
    {
        columns_in_lds<Element, x_columns> columns;
        int pitch, next_class;

        CK_TILE_FN void load(tile<Element, x_columns>& to, int j) const
        {
            load_at(to, slot_of<classes>(j, next_class, next_product));
        }
        // What is so many elements beyond.
        CK_TILE_FN void load_at(tile<Element, x_columns>& to, int beyond) const { columns.load(to, beyond); }
        CK_TILE_FN void next() { columns.move(pitch); }
    };

    // The block's products of any window: multiply(row of the patch, product, what it sees through the taps).
    CK_TILE_FN void each_product(const rows& halo, const auto& multiply) const
    {
        const int next_row = shape_.stride[0] * halo.pitch;
        const int of_row   = filter_products().of_row();
        int y = first_product_ / of_row, x = first_product_ % of_row;
        register_for<C.products().taps()>([&](auto product) {
            if(y >= shape_.window[0])
                return;
            const int beyond = y * shape_.dilation[0] * halo.pitch + x * shape_.dilation[1] * next_product;
            register_for<column.rows>([&](auto row) {
                tile<Element, x_columns> seen;
                halo.load_at(seen, beyond + row * next_row);
                multiply(row, product, seen);
            });
            schedule_fence(); // where later ones are is not worked out before, for which there would have to be registers
            if(++x == of_row)
                x = 0, ++y;
        });
    }

    CK_TILE_FN int col_step() const { return C.window.any() ? shape_.stride[1] : C.window.stride; }
    static CK_TILE_FN int slice_of(thread t) { return t.wave % across; }
    CK_TILE_FN tap_product::filter_products filter_products() const
    {
        return {C.window.any() ? shape_.window[1] : C.window.cols, C.taps};
    }
    // The channel of X that a slice begins with. Where products take several taps, the first one, also of a slice behind the last channel of Y,
    // which would be another group's.
    CK_TILE_FN int first_x(int slice) const
    {
        return C.taps > 1 ? 0 : groups_.template vector_seen<C.vector()>(channels_.y + slice * groups_.of_slice);
    }
    static CK_TILE_FN int patch_of(thread t, int first, int pixel)
    {
        return first + (t.wave / across * channels + pixel) / width;
    }
    CK_TILE_FN int existing(int number) const { return number < shape_.patches() ? number : 0; }

    // dY of the rows of patches; of patches that the region does not have, zeros.
    CK_TILE_FN void load_rows(tile<Element, dy_columns> (&dy)[column.rows], const pixel_tile& y, int first) const
    {
        columns_in_lds<Element, dy_columns, square_order::by_columns> columns([&](thread t, int k) {
            const int n = tap_product::pixel_of_column(k);
            return y.at(pixels_.first_input(existing(patch_of(t, first, n))) + n % width,
                        slice_of(t) * groups_.of_slice);
        });
        register_for<column.rows>([&](auto row) {
            columns.load(dy[row], 0);
            columns.move(pixels_.halo_cols.divisor * pixel_line);
        });
        const int patches = shape_.patches();
        if(first + patches_at_once <= patches) [[likely]]
            return;
        for_each_thread<dy_columns>([&](thread t) {
            for_each_element<dy_columns>([&](auto r, auto v) {
                const int k = reach<dy_columns.lane, 1>(t.lane) + v;
                if(patch_of(t, first, tap_product::pixel_of_column(k)) >= patches)
                    register_for<column.rows>([&](auto row) { dy[row].file_of(t).set(r, v, Element(0)); });
            });
        });
    }

    region_shape shape_, pixels_;
    channel_groups groups_;
    weight_channels channels_;
    int first_product_;
    tile<float, products> sums_[C.products().taps()];
};

} // namespace ck_tile::conv
