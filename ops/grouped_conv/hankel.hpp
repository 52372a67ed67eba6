// SPDX-License-Identifier: MIT
// Weight gradients of depthwise convolutions by a matrix instruction, from a row of X at a time, whatever the length of the filter: of one channel,
//
//   dW [x, y] += sum over k of H [x, k] * dY [k, y],   H [x, k] = X [k + x * dilation] of the row, dY [k, y] = row - y * dilation of dY, or 0
//
// whose rows x are taps of a row of the filter, and whose columns y are rows of it. H is a Hankel matrix: each of its rows is the one before, moved the
// other way than in toeplitz.hpp. Lanes read it as words, and shift by half a word what begins in the middle of one. Channels are planes in LDS, of
// rows of pixels; a wave has all taps of a few channels, from all pixels of the block's regions.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ops/grouped_conv/row_product.hpp"
#include "ops/grouped_conv/tap_product.hpp"
#include "ops/grouped_conv/tap_weights.hpp"

namespace ck_tile::conv
{

namespace hankel
{

// What LDS has behind dY: zeros, for rows that do not exist.
inline constexpr int zeros = 16;

// Of each wave's `own` channels, 16 taps of `rows` rows of the filter: [1, (wave, channel, tap, row)].
constexpr distribution sums(const matrix_instruction& i, int waves, int own, int rows)
{
    distribution d = {.lengths = {1, waves * own * i.m * rows},
                      .wave    = {{waves, 1, own * i.m * rows}},
                      .lane    = {},
                      .reg     = {{rows / i.n, 1, i.n}, {own, 1, i.m * rows}},
                      .vec     = {}};
    for(const auto& [from, to] : {std::pair{&i.c.lane, &d.lane}, {&i.c.vec, &d.vec}})
        for(int l = 0; l < from->count; ++l)
            to->push({from->at[l].extent, 1, from->at[l].stride * (from->at[l].moves_along(0) ? rows : 1)});
    return d;
}

} // namespace hankel

// C: a configuration. Arguments: as the kernel of backward weight has them.
template <auto C, class Element, class Arguments>
class weights_by_rows
{
    static constexpr matrix_instruction inst = C.instruction();
    static constexpr int own = C.channels_of_wave(), along = C.most_products(), rows = C.filter_rows();
    static constexpr distribution x_rows   = tap_product::operand(inst.a, C.waves, inst.m),
                                  dy_rows  = tap_product::operand(inst.b, C.waves, rows),
                                  products = tap_product::result(inst, C.waves, rows), some_sums = C.sums(1);
    static constexpr int of_channel = products.regs();
    using halo_tile                 = lds_tile<Element, C.halo_layout()>;
    using pixel_tile                = lds_tile<Element, C.pixel_layout()>;
    using word                      = unsigned;
    static_assert(2 * sizeof(Element) == sizeof(word));

  public:
    CK_TILE_FN weights_by_rows(const block& b, const Arguments& a)
        : block_(b), shape_(a.regions.shape), pixels_(a.pixels)
    {
        register_for<along>(
            [&](auto d) { register_for<own>([&](auto c) { sums_[d][c] = fill<float, products>(0.f); }); });
        for_each_index<products>(hankel::zeros,
                                 [&](thread t, int i) { b.lds_of<Element>(t, C.zeros_at())[i] = Element(0); });
    }

    // The products of a region.
    CK_TILE_FN void add(const halo_tile& x, const pixel_tile& y)
    {
        register_for<own>([&](auto c) __attribute__((always_inline)) {
            CK_TILE_KEEP_LOOP
            for(int plane = 0; plane < shape_.planes; ++plane)
            {
                operands here(*this, x, y, c, plane);
                CK_TILE_KEEP_LOOP
                for(int row = 0; row < shape_.halo_rows.divisor; ++row)
                {
                    here.move_to(row);
                    CK_TILE_KEEP_LOOP
                    for(int left = shape_.cols.divisor * C.patch.cols; left > 0; left -= inst.k)
                    {
                        const auto dy = here.load_dy();
                        register_for<along>([&](auto d) {
                            ck_tile::detail::multiply_files<inst.op, 1, rows / inst.n, 1, C.waves,
                                                            fragment_range{0, 1, 0, rows / inst.n}>(
                                sums_[d][c].files, here.load_x(d).files, dy.files);
                        });
                        here.next();
                    }
                }
            }
        });
    }

    // The sums of 16 taps of rows, and which weights they are.
    CK_TILE_FN tile<float, some_sums> some(int number) const
    {
        tile<float, some_sums> s;
        for_each_thread<some_sums>([&](thread t) {
            register_for<own>([&](auto c) {
                for_each_element<products>([&](auto r, auto v) {
                    s.file_of(t).set(c * of_channel + r, v, sums_[number][c].file_of(t).get(r, v));
                });
            });
        });
        return s;
    }
    CK_TILE_FN weight_place weight_of(thread t, int r, int v, int number) const
    {
        const int all = first_element<some_sums, 1>(t) + reach<some_sums.reg, 1>(r) + reach<some_sums.vec, 1>(v);
        const int y = all % rows, x = all / rows % inst.m + number * inst.m;
        return {y * shape_.window[1] + x, all / (rows * inst.m), y < shape_.window[0] && x < shape_.window[1] ? 0 : -1};
    }

    // Not 0 where something of a thread's sums is not finite.
    CK_TILE_FN float unusual(thread t) const
    {
        float found = 0;
        register_for<along>([&](auto d) {
            register_for<own>([&](auto c) { found += nan_unless_finite<products>(sums_[d][c].file_of(t)); });
        });
        return found;
    }

  private:
    // Where a thread's parts of both operands are: of a row of X, and of rows of dY.
    struct operands
    {
        struct own_addresses
        {
            const Element *x, *dy[dy_rows.regs()];
            int next[dy_rows.regs()];         // elements of dY: 0, if the row does not exist
            int beyond[along][x_rows.regs()]; // of the first tap that the thread has a row of H of
        };
        ck_tile::detail::per_thread<own_addresses, copies_of(C.threads())> now;
        const weights_by_rows& weights;
        const Element *of_x, *of_dy; // of the first thread
        int channel, plane;

        CK_TILE_FN operands(const weights_by_rows& made_of, const halo_tile& x, const pixel_tile& y, int of_wave,
                            int at)
            : weights(made_of), of_x(x.data), of_dy(y.data), channel(of_wave), plane(at)
        {
            for_each_thread<x_rows>([&](thread t) {
                register_for<along>([&](auto d) {
                    register_for<x_rows.regs()>([&](auto r) {
                        // Of a tap that the filter does not have, any.
                        const int tap  = int(d) * inst.m + reach<x_rows.lane, 0>(t.lane) + reach<x_rows.reg, 0>(r),
                                  last = weights.shape_.window[1] - 1;
                        now[t.copy].beyond[d][r] =
                            (tap < last ? tap : last) * weights.shape_.dilation[1] + reach<x_rows.lane, 1>(t.lane);
                    });
                });
            });
        }
        // To the first products of a row of X.
        CK_TILE_FN void move_to(int row)
        {
            const auto& shape  = weights.shape_;
            const auto& pixels = weights.pixels_;
            for_each_thread<x_rows>([&](thread t) {
                own_addresses& o = now[t.copy];
                const int column = t.wave * own + channel;
                o.x              = of_x + column * halo_tile::layout.cols +
                                   (plane * shape.halo_rows.divisor + row) * shape.halo_cols.divisor;
                register_for<dy_rows.regs()>([&](auto r) {
                    const int y = row - (reach<dy_rows.lane, 0>(t.lane) + reach<dy_rows.reg, 0>(r)) * shape.dilation[0];
                    const bool exists          = unsigned(y) < unsigned(pixels.halo_rows.divisor);
                    const Element* const first = of_dy + column * pixel_tile::layout.cols +
                                                 (plane * pixels.halo_rows.divisor + y) * pixels.halo_cols.divisor;
                    o.dy[r]   = (exists ? first : weights.block_.template lds_of<Element>(t, C.zeros_at()) + 0) +
                                reach<dy_rows.lane, 1>(t.lane);
                    o.next[r] = exists ? inst.k : 0;
                });
            });
        }
        CK_TILE_FN void next()
        {
            for_each_thread<x_rows>([&](thread t) {
                own_addresses& o = now[t.copy];
                o.x += inst.k;
                register_for<dy_rows.regs()>([&](auto r) { o.dy[r] += o.next[r]; });
            });
        }
        CK_TILE_FN tile<Element, dy_rows> load_dy() const
        {
            tile<Element, dy_rows> to;
            for_each_thread<dy_rows>([&](thread t) {
                register_for<dy_rows.regs()>([&](auto r) {
                    row_product::load<Element, dy_rows.vecs(), row_product::run>(to.file_of(t).reg[r],
                                                                                 now[t.copy].dy[r]);
                });
            });
            return to;
        }
        // 16 rows of H.
        CK_TILE_FN tile<Element, x_rows> load_x(int d) const
        {
            constexpr int words = x_rows.vecs() / 2;
            tile<Element, x_rows> to;
            for_each_thread<x_rows>([&](thread t) {
                register_for<x_rows.regs()>([&](auto r) {
                    const int beyond = now[t.copy].beyond[d][r], half = beyond % 2 * 16;
                    const auto* first = reinterpret_cast<const word*>(now[t.copy].x + (beyond - beyond % 2));
                    check_lds_read(first, (words + 1) * sizeof(word));
                    word shifted[words], low;
                    __builtin_memcpy(&low, first, sizeof low);
                    register_for<words>([&](auto i) {
                        word high;
                        __builtin_memcpy(&high, first + i + 1, sizeof high);
                        shifted[i] = word((std::uint64_t(high) << 32 | low) >> half);
                        low        = high;
                    });
                    __builtin_memcpy(&to.file_of(t).reg[r], shifted, sizeof shifted);
                });
            });
            return to;
        }
    };

    const block& block_;
    region_shape shape_, pixels_;
    tile<float, products> sums_[along][own];
};

} // namespace ck_tile::conv
