// SPDX-License-Identifier: MIT
// Weights of groups of few channels by a matrix instruction of 8 columns, of 16 pixels at a time:
//
//   sums [(half, channel m of X), channel n of Y] += X [pixel seen through the half's tap, channel m] * dY [pixel, channel n]
//
// Two halves of 8 channels each: two taps of one slice of X, or, of groups of 16 channels, both slices of one tap, of which a wave may have both slices of
// Y too. Of the sums those are of use whose channels are of one group: all, or, of groups of one channel, the diagonals. Operands lie in LDS as [pixel, channel], and lanes read them transposed,
// squares of 8 pixels of a row and 8 channels: the 16 pixels are two rows of a patch, so that a square of X, once in registers, serves all rows of the
// filter that it is seen through. A NaN or an infinity stays in the sums of its group.
#pragma once

#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/square_product.hpp"
#include "ops/grouped_conv/tap_weights.hpp"

namespace ck_tile::conv
{

// C: a configuration, of which each wave has one slice of 8 channels of Y, or all of a group's.
template <auto C, class Element>
class weights_by_squares
{
    static constexpr int rows = C.window.rows, cols = C.window.cols, slices = C.slices_seen(), own = C.slices_of_wave(),
                         halves = rows * cols * slices, count = C.most_products(), stride = C.window.stride,
                         made_rows = C.patch.rows;
    // Rows of X come a few at a time, those that two more rows of the patch see, after as many times as many as the filter needs before.
    static constexpr int at_once = 2 * stride, before = ceil_div(rows - stride, at_once),
                         steps = before + made_rows / 2, first_row = rows - stride - before * at_once,
                         pitch = (C.patch.cols - 1) * stride + cols, halo_rows = (made_rows - 1) * stride + rows;
    // And are read in squares, four at once, dY's of two rows behind them.
    static constexpr int of_x = at_once * cols * slices, all = of_x + 2 * own, of_read = 4,
                         reads = ceil_div(all, of_read);
    static constexpr opcode op = square_product::instruction(C.dtype(), facts(C.arch), square_product::taps)->op;
    static constexpr distribution x_halves  = square_product::operand(C.waves, square_product::pixels, 2),
                                  dy_pixels = square_product::operand(C.waves, square_product::channels, 2),
                                  products = square_product::sums(C.waves), some_sums = C.sums(1);
    using halo_tile  = lds_tile<Element, C.halo_layout()>;
    using pixel_tile = lds_tile<Element, C.pixel_layout()>;
    using pair       = vector<Element, 2>;

    // Two neighbours of a row of pixels, of the lane's channel, of each square.
    struct squares
    {
        unsigned x[steps * at_once][cols * slices], dy[made_rows][own];
    };
    // The first line that a lane addresses of each read, how much further it is for the next step, and the slice of channels.
    struct lines
    {
        int first[reads], next[reads], slice[reads];
    };

  public:
    CK_TILE_FN weights_by_squares(const channel_groups& groups, const weight_channels& own)
        : groups_(groups), channels_(own)
    {
        register_for<count>([&](auto n) { sums_[n] = fill<float, products>(0.f); });
        for_each_thread<products>([&](thread t) {
            static_for<reads>([&](auto read) {
                const int square           = square_of(read * of_read + t.lane / 8);
                lines_[t.copy].first[read] = line_of(0, square, t.lane % 8);
                lines_[t.copy].next[read]  = square < of_x ? at_once * pitch : 2 * C.patch.cols;
                lines_[t.copy].slice[read] = slice_of(t, square);
            });
        });
    }

    // The products of a region.
    CK_TILE_FN void add(const halo_tile& x, const pixel_tile& y)
    {
        ck_tile::detail::per_thread<squares, copies_of(C.threads())> seen;
        static_for<steps>([&](auto step) __attribute__((always_inline)) {
            for_each_thread<products>([&](thread t)
                                          __attribute__((always_inline)) { load<step>(seen[t.copy], t, x, y); });
            if constexpr(step >= before)
                multiply<step - before>(seen);
        });
    }

    // The sums of two halves, and which weights they are.
    CK_TILE_FN tile<float, some_sums> some(int number) const
    {
        tile<float, some_sums> s;
        for_each_thread<some_sums>([&](thread t) {
            for_each_element<some_sums>(
                [&](auto r, auto v) { s.file_of(t).set(r, v, sums_[number].file_of(t).get(0, 2 * r + v)); });
        });
        return s;
    }
    CK_TILE_FN weight_place weight_of(thread t, int r, int v, int number) const
    {
        const int half = number / own * 2 + r, of_y = first_channel(t, number % own) + v,
                  x = channels_.x + channel_seen(t, half % slices);
        return {half / slices, of_y, groups_.same(channels_.y + of_y, x) ? x % groups_.seen : -1};
    }

    // Not 0 where something of a thread's sums is not finite.
    CK_TILE_FN float unusual(thread t) const
    {
        float found = 0;
        register_for<count>([&](auto n) {
            register_for<4>([&](auto v) {
                const bool used = weight_of(t, v / 2, v % 2, n).of_x >= 0;
                found           = __builtin_fmaf(used ? sums_[n].file_of(t).get(0, v) : 0.f, 0.f, found);
            });
        });
        return found;
    }

  private:
    // Of the block's channels: the first one that a lane has sums of, of one of the wave's slices of Y; and that of X, of a slice that they see.
    static CK_TILE_FN int first_channel(thread t, int slice)
    {
        return (t.wave * own + slice) * square_product::channels + t.lane % 4 * 2;
    }
    static CK_TILE_FN int channel_seen(thread t, int slice)
    {
        return (t.wave * own / slices * slices + slice) * square_product::channels + t.lane / 4;
    }
    // Of 8 channels, which a square has, of X or of dY.
    static CK_TILE_FN int slice_of(thread t, int square)
    {
        return square < of_x ? t.wave * own / slices * slices + square % slices : t.wave * own + (square - of_x) % own;
    }

    // Of an operand's register, of pixels of two rows.
    static CK_TILE_FN void set(auto& file, int r, unsigned of_row, unsigned of_next)
    {
        const auto one = __builtin_bit_cast(pair, of_row), other = __builtin_bit_cast(pair, of_next);
        static_for<2>([&](auto v) __attribute__((always_inline)) {
            file.reg[r][int(v)]     = one[int(v)];
            file.reg[r][int(v) + 2] = other[int(v)];
        });
    }

    // Of two rows of the patch.
    template <int Two>
    CK_TILE_FN void multiply(const auto& seen)
    {
        tile<Element, dy_pixels> dy[own];
        for_each_thread<dy_pixels>([&](thread t) __attribute__((always_inline)) {
            static_for<own>([&](auto slice) __attribute__((always_inline)) {
                set(dy[slice].file_of(t), 0, seen[t.copy].dy[2 * Two][slice], seen[t.copy].dy[2 * Two + 1][slice]);
            });
        });
        static_for<count / own>([&](auto n) __attribute__((always_inline)) {
            tile<Element, x_halves> of_halves;
            for_each_thread<x_halves>([&](thread t) __attribute__((always_inline)) {
                static_for<2>([&](auto i) __attribute__((always_inline)) {
                    constexpr int half = 2 * n + i < halves ? 2 * n + i : 2 * n, of_row = cols * slices,
                                  row = 2 * Two * stride + half / of_row - first_row;
                    set(of_halves.file_of(t), i, seen[t.copy].x[row][half % of_row],
                        seen[t.copy].x[row + stride][half % of_row]);
                });
            });
            static_for<own>([&](auto slice) __attribute__((always_inline)) {
                ck_tile::detail::multiply_files<op, 1, 1, 1, C.waves, fragment_range{0, 1, 0, 1}>(
                    sums_[n * own + slice].files, of_halves.files, dy[slice].files);
            });
        });
    }

    // Behind the last square it is again.
    static CK_TILE_FN int square_of(int number) { return number < all ? number : all - 1; }

    // The line of LDS that pixel 0 to 7 of a square of a step is, of X, or of dY, which is behind as many lines as halos may have.
    static CK_TILE_FN int line_of(int step, int square, int pixel)
    {
        if(square >= of_x)
            return C.halo + ((step - before) * 2 + (square - of_x) / own) * C.patch.cols + pixel;
        const int row = first_row + step * at_once + square / (cols * slices);
        return row * pitch + pixel * stride + square / slices % cols;
    }

    template <int Step>
    CK_TILE_FN void load(squares& seen, thread t, const halo_tile& x, const pixel_tile& y) const
    {
        static_for<reads>([&](auto read) __attribute__((always_inline)) {
            unsigned words[of_read];
            if constexpr(has_transposed_reads)
            {
                int line = lines_[t.copy].first[read] + Step * lines_[t.copy].next[read];
                if constexpr(Step < before) // some are before the first row
                    line = line < 0 ? line + 8 * pitch : line;
                read_transposed(words, x.data + line * halo_tile::layout.line() +
                                           (lines_[t.copy].slice[read] ^ swizzle_of_row<halo_tile::layout>(line)) *
                                               halo_tile::layout.chunk);
            }
            else
                for(int i = 0; i < of_read; ++i)
                    words[i] = read_square(t, Step, square_of(read * of_read + i), x, y);
            static_for<of_read>([&](auto i) __attribute__((always_inline)) {
                constexpr int square = read * of_read + i, of_row = cols * slices;
                if constexpr(square < of_x)
                    seen.x[Step * at_once + square / of_row][square % of_row] = words[i];
                else if constexpr(square < all && Step >= before)
                    seen.dy[(Step - before) * 2 + (square - of_x) / own][(square - of_x) % own] = words[i];
            });
        });
    }
    // Element by element, of what exists.
    static CK_TILE_FN unsigned read_square(thread t, int step, int square, const halo_tile& x, const pixel_tile& y)
    {
        pair both = {};
        for(int v = 0; v < 2; ++v)
        {
            const int line   = line_of(step, square, t.lane % 4 * 2 + v),
                      column = slice_of(t, square) * square_product::channels + t.lane / 4;
            const bool of_y  = square >= of_x;
            if(of_y ? line < C.halo : line < 0 || line >= halo_rows * pitch)
                continue;
            const Element* from = of_y ? y.at(line - C.halo, column) : x.at(line, column);
            check_lds_read(from, sizeof *from);
            both[v] = __builtin_bit_cast(storage_t<Element>, *from);
        }
        return __builtin_bit_cast(unsigned, both);
    }

    channel_groups groups_;
    weight_channels channels_;
    ck_tile::detail::per_thread<lines, copies_of(C.threads())> lines_;
    tile<float, products> sums_[count];
};

} // namespace ck_tile::conv
