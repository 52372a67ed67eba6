// SPDX-License-Identifier: MIT
// Depthwise convolutions by a matrix instruction of 8 columns: two taps of a row of the filter at a time, of 16 pixels and 8 channels,
//
//   sums [pixel, channel n] += X [pixel, (tap, channel)] * W [n, (tap, channel)],   of W the diagonals alone being other than 0
//
// of which an eighth is of use: less work for a thread than multiply-adds are, whose operands need conversions. The 16 pixels are rows of
// two patches, so that what is loaded of a row of X for one row of the filter is what the others need, as it is.
// A NaN or an infinity would reach the other channels, as 0 times either is a NaN; a thread that finds one among its sums makes them
// again one by one.
#pragma once

#include "ck_tile/targets/matrix.hpp"
#include "ops/grouped_conv/depthwise.hpp"

namespace ck_tile::conv
{

namespace diagonal_product
{
// Of a wave: pixels and channels of a product, of two taps; pixels of a patch's row.
inline constexpr int pixels = 16, channels = 8, width = 8;

// How `waves` waves share [rows, channels] of sums: each has 8 channels of all rows, or of some where there are fewer channels.
constexpr distribution rows(int waves, int rows, int of_channels, patch c)
{
    const int slices = of_channels / channels, across = slices < waves ? slices : waves, own = rows * across / waves;
    return {.lengths = {rows, of_channels},
            .wave    = {{across, 1, channels}, {waves / across, 0, own}},
            .lane    = layouts::mma_result.lane,
            .reg     = {{c.rows, 0, width},
                        {own / (2 * c.pixels()), 0, 2 * c.pixels()},
                        {slices / across, 1, channels * across}},
            .vec     = {{2, 1, 1}, {2, 0, c.pixels()}}};
}

// The operands of one product of each wave: a lane has two channels of two taps.
constexpr distribution operand(int waves, int rows)
{
    return {.lengths = {rows, 16 * waves},
            .wave    = {{waves, 1, 16}},
            .lane    = {{4, 1, 4}, {8, 0, 1}},
            .reg     = {{rows / 8, 0, 8}},
            .vec     = {{4, 1, 1}}};
}
constexpr distribution sums(int waves)
{
    return {.lengths = {pixels, channels * waves},
            .wave    = {{waves, 1, channels}},
            .lane    = layouts::mma_result.lane,
            .reg     = {},
            .vec     = layouts::mma_result.vec};
}
} // namespace diagonal_product

// The convolution of the region's pixels, [patches x pixels, channels], as diagonal_product::rows() distributes them for `Waves` waves, by the
// instruction `Op`, one of 16 x 8 x 16. Patches are 8 pixels wide. `weights`: [channel][tap]; `start`: what the sums of each channel begin
// with. What patches hold that the region does not have means nothing.
template <known_window Known, patch Patch, opcode Op, int Waves, distribution D, class T, auto Layout, class Start>
CK_TILE_FN tile<float, D> diagonal(const lds_tile<T, Layout>& x, const T* weights, const region_shape& region,
                                   const Start& start)
{
    namespace product    = diagonal_product;
    constexpr int length = Known.rows, pairs = (length + 1) / 2; // of the filter's rows: taps
    constexpr int slices = D.reg.only(1).size(), of_slice = D.regs() / slices;
    static_assert(Patch.cols == product::width && of_slice % Patch.rows == 0 && !Known.any() &&
                      Known.rows == Known.cols,
                  "diagonal: a wave has pairs of patches, 8 pixels wide, of a known square window");
    using a_tile = tile<T, product::operand(Waves, product::pixels)>;
    using b_tile = tile<T, product::operand(Waves, product::channels)>;

    // Where the first window of a lane's pixel in row 0 of a patch lies.
    const auto first_input = [&](thread t, int patch_number) {
        const int number = first_element<D, 0>(t) / Patch.pixels() + patch_number;
        return region.first_input(number < region.patches() ? number : 0, 0, first_element<D, 0>(t) % product::width);
    };
    const int pitch = region.halo_cols.divisor * Layout.line();
    tile<float, D> sums;
    static_for<slices>([&](auto slice) {
        constexpr int beyond = reach<D.reg, 1>(of_slice * slice); // channels
        b_tile b[length][pairs];
        for_each_thread<b_tile::layout>([&](thread t) {
            const int n = t.lane / 4, own = t.lane % 4; // channels
            const T* from = weights + (first_element<D, 1>(t) - 2 * own + beyond + n) * (length * length);
            static_for<length * pairs>([&](auto i) {
                static_for<4>([&](auto v) {
                    constexpr int tap = i % pairs * 2 + v / 2, y = i / pairs;
                    T weight = 0;
                    if constexpr(tap < length)
                    {
                        const bool on_diagonal = n == 2 * own + v % 2;
                        if(on_diagonal)
                            check_lds_read(from + y * length + tap, sizeof(T));
                        weight = on_diagonal ? from[y * length + tap] : T(0);
                    }
                    b[y][i % pairs].file_of(t).set(0, v, weight);
                });
            });
        });
        static_for<of_slice / Patch.rows>([&](auto pair_of_patches) {
            tile<float, product::sums(Waves)> acc[Patch.rows];
            struct addresses
            {
                const T* of_patch[2];
            };
            ck_tile::detail::per_thread<addresses, copies_of(D.threads())> rows;
            for_each_thread<D>([&](thread t) {
                static_for<Patch.rows * 4>(
                    [&](auto i) { acc[i / 4].file_of(t).set(0, i % 4, start.file_of(t).get(slice, i % 2)); });
                for(int c = 0; c < 2; ++c)
                    rows[t.copy].of_patch[c] =
                        x.at(first_input(t, 2 * pair_of_patches + c), first_element<D, 1>(t) + beyond);
            });
            static_for<(Patch.rows - 1) * Known.stride + length>([&](auto i) { // rows of X
                a_tile a[pairs];
                for_each_thread<a_tile::layout>([&](thread t) {
                    static_for<pairs * 4>([&](auto n) {
                        constexpr int c = n % 2, pair = n / 4, tap = 2 * pair + n / 2 % 2;
                        // Behind an odd number of taps, the last one again, times 0.
                        const T* from = rows[t.copy].of_patch[c] + (tap < length ? tap : length - 1) * Layout.line();
                        check_lds_read(from, 2 * sizeof(T));
                        const detail::run_of<T, 2> two(from);
                        a[pair].file_of(t).set(c, n / 2 % 2 * 2, two.at[0]);
                        a[pair].file_of(t).set(c, n / 2 % 2 * 2 + 1, two.at[1]);
                    });
                    for(const T*& row : rows[t.copy].of_patch)
                        row += pitch;
                });
                static_for<Patch.rows * pairs>([&](auto n) {
                    constexpr int y = n / pairs, of_filter = i - y * Known.stride;
                    if constexpr(of_filter >= 0 && of_filter < length)
                        ck_tile::detail::multiply_files<Op, 1, 1, 1, Waves, fragment_range{0, 1, 0, 1}>(
                            acc[y].files, a[n % pairs].files, b[of_filter][n % pairs].files);
                });
            });
            for_each_thread<D>([&](thread t) {
                static_for<Patch.rows * 4>([&](auto i) {
                    sums.file_of(t).set(slice * of_slice + pair_of_patches * Patch.rows + i / 4, i % 4,
                                        acc[i / 4].file_of(t).get(0, i % 4));
                });
            });
        });
    });
    for_each_thread<D>([&](thread t) {
        auto& own     = sums.file_of(t);
        float unusual = 0; // or a NaN
        // Where there is one, no channel of the pixel is finite.
        static_for<D.regs()>([&](auto r) {
            unusual = __builtin_fmaf(own.get(r, 0), 0.f, unusual);
            unusual = __builtin_fmaf(own.get(r, 2), 0.f, unusual);
        });
        if(unusual == 0) [[likely]]
            return;
        for_each_element<D>([&](auto r, auto v) { own.set(r, v, start.file_of(t).get(r / of_slice, v % 2)); });
        CK_TILE_KEEP_LOOP
        for(int tap = 0; tap < length * length; ++tap)
            for_each_element<D>([&](auto r, auto v) {
                const int row     = reach<D.reg, 0>(r) + v / 2 * Patch.pixels(),
                          channel = first_element<D, 1>(t) + reach<D.reg, 1>(r) + v % 2;
                const int y       = row % Patch.pixels() / Patch.cols * Known.stride + tap / length;
                const T* at =
                    x.at(first_input(t, row / Patch.pixels()) + y * region.halo_cols.divisor + tap % length, channel);
                const T* weight = weights + channel * length * length + tap;
                check_lds_read(at, sizeof *at), check_lds_read(weight, sizeof *weight);
                own.set(r, v, __builtin_fmaf(convert<float>(*at), convert<float>(*weight), own.get(r, v)));
            });
    });
    return sums;
}

} // namespace ck_tile::conv
