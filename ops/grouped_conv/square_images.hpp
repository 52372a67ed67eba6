// SPDX-License-Identifier: MIT
// Convolutions of few channels per group by a matrix instruction of 8 columns: two taps of a row of the filter at a time, of 16 pixels and 8 channels,
//
//   sums [pixel, channel n] += X [pixel, (tap, channel)] * W [n, (tap, channel)],   of W what is of no group being 0
//
// or, of groups of 16 channels, one tap of both slices of 8. Of groups of one channel an eighth is of use, the diagonals: less work for a thread than
// multiply-adds are, whose operands need conversions. The 16 pixels are 8 of two rows of a patch, half of it apart, so that what is loaded of a row of X
// for one row of the filter is what the others need, as it is. A NaN or an infinity would reach other groups' channels, as 0 times either is a NaN; a
// thread that finds one among its sums makes them again one by one.
#pragma once

#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/rows_in_lds.hpp"
#include "ops/grouped_conv/square_product.hpp"

namespace ck_tile::conv
{

// Of the pixels of patches `Whole`, [patches x pixels, channels] as square_product::rows() distributes them for `Waves` waves, of the
// architecture `Arch`. OnePatch: regions have one. Group: channels of a group, 1; or 8 or 16, which groups divide.
template <architecture Arch, data_type Type, known_window Known, patch Whole, int Waves, distribution D, bool OnePatch,
          int Group = 1>
class images_by_squares
{
    static constexpr int beside   = square_product::slices_seen(Group);
    using T                       = element_t<Type>;
    static constexpr int slices   = D.reg.only(1).size() > 0 ? D.reg.only(1).size() : 1; // of a wave
    static constexpr int of_slice = D.regs() / slices, rows = of_slice < Whole.rows ? of_slice : Whole.rows,
                         patches = of_slice / rows,
                         half    = rows / 2;                     // rows of a patch between the two of a product
    static constexpr int pairs   = Known.cols * beside / 2;      // of taps of a row of the filter, or of slices
    static constexpr bool odd    = Known.cols * beside % 2 != 0; // and one more
    static constexpr int sets    = slices / beside;              // of slices that see the same ones
    static_assert(beside <= 2 && slices % beside == 0, "images_by_squares: a wave has all slices of its groups");
    static constexpr bool matches = Whole.cols == square_product::width && rows % 2 == 0 && !Known.any();
    static_assert(matches, "images_by_squares: a wave has pairs of rows of patches, 8 pixels wide, of a known window");

    template <int Taps>
    static constexpr opcode op = square_product::instruction(Type, facts(Arch), Taps)->op;
    template <int Taps>
    static constexpr distribution weight_of = square_product::operand(Waves, square_product::channels, Taps);
    template <int Taps>
    static constexpr distribution seen = square_product::operand(Waves, square_product::pixels, Taps);
    static constexpr distribution made = square_product::sums(Waves);

    // Of a row of the filter, or of what is seen through it: operands of pairs of taps, and of the last one.
    template <class Pair, class One>
    struct row_of
    {
        Pair pair[pairs > 0 ? pairs : 1];
        One last;
    };

    // Of a slice of a wave's channels, as operands, and what their sums begin with.
    struct weights
    {
        row_of<tile<T, weight_of<2>>, tile<T, weight_of<1>>> row[Known.rows];
        tile<float, made> start;
    };

  public:
    // What a thread keeps of weights and biases.
    struct operands
    {
        weights slice[slices];
    };

    static constexpr int of_tap = square_product::weights_of_tap(Group);

    // wei: [channels, taps, of_tap], in LDS; biases: of each channel. Kept, for many sums(), what these begin with is the product of a tap that sees ones, as
    // then it lies where the next products take it from; else it is copied there, which takes less than that product.
    template <bool Kept>
    static CK_TILE_FN operands load(const T* wei, const auto& biases)
    {
        operands w;
        static_for<slices>([&](auto slice) { w.slice[slice] = load_slice<Kept>(wei, biases, slice); });
        return w;
    }

    // x: the region's halo; w: load(wei, biases); of_group: channels. What patches hold that the region does not have means nothing.
    template <auto Layout, class Biases>
    static CK_TILE_FN tile<float, D> sums(const lds_tile<T, Layout>& x, const operands& w, const T* wei,
                                          const Biases& biases, const region_shape& region, int of_group = 1)
    {
        const auto pitch = pitch_of(region);
        tile<float, D> sums;
        static_for<patches>([&](auto patch) __attribute__((always_inline)) {
            // All slices at once: the products of one hide what those of another wait for.
            tile<float, made> acc[slices][half];
            static_for<slices * half>([&](auto i) { acc[i / half][i % half] = w.slice[i / half].start; });
            const auto wave_of = [](thread t) { return thread{t.wave, 0, t.copy, t.rank}; };
            const rows_in_lds<T, Layout, seen<2>> rows_of_x(
                x,
                [&](thread t, int row, int step) {
                    return first_input(region, wave_of(t), patch, row % square_product::width) +
                           row / square_product::width * half * Known.stride * pitch + (beside == 1 ? step : 0);
                },
                [&](thread t, int step) { return column(wave_of(t), beside == 1 ? 0 : step); });
            static_for<(half - 1) * Known.stride + Known.rows>([&](auto i) __attribute__((always_inline)) {
                row_of<tile<T, seen<2>>, tile<T, seen<1>>> pixels[sets];
                static_for<sets>([&](auto set) __attribute__((always_inline)) {
                    const int of_set = set * beside * square_product::channels;
                    static_for<pairs>([&](auto pair) __attribute__((always_inline)) {
                        rows_of_x.load(pixels[set].pair[pair], beyond(pitch, i, constant<2 * pair / beside>{}), of_set);
                    });
                    if constexpr(odd)
                        rows_of_x.load(pixels[set].last, beyond(pitch, i, constant<Known.cols - 1>{}), of_set);
                });
                static_for<(pairs + odd) * half * slices>([&](auto n) __attribute__((always_inline)) {
                    constexpr int slice = n % slices, row = n / slices % half, pair = n / (slices * half),
                                  y = i - row * Known.stride;
                    if constexpr(y >= 0 && y < Known.rows)
                    {
                        if constexpr(pair < pairs)
                            multiply<2>(acc[slice][row], pixels[slice / beside].pair[pair],
                                        w.slice[slice].row[y].pair[pair]);
                        else
                            multiply<1>(acc[slice][row], pixels[slice / beside].last, w.slice[slice].row[y].last);
                    }
                });
            });
            for_each_thread<D>([&](thread t) __attribute__((always_inline)) {
                each_sum([&](auto slice, auto row, auto v) __attribute__((always_inline)) {
                    sums.file_of(t).set(slice * of_slice + patch * rows + row + v / 2 * half, v % 2,
                                        acc[slice][row].file_of(t).get(0, v));
                });
            });
        });
        for_each_thread<D>([&](thread t) __attribute__((always_inline)) {
            auto& own     = sums.file_of(t);
            float unusual = 0; // or a NaN: where there is one, no channel of a product is finite
            static_for<D.regs()>([&](auto r) { unusual = __builtin_fmaf(own.get(r, 0), 0.f, unusual); });
            if(unusual != 0) [[unlikely]]
                make_again(own, t, x, wei, region, biases, of_group);
        });
        return sums;
    }

  private:
    template <bool Kept>
    static CK_TILE_FN weights load_slice(const T* wei, const auto& biases, int slice)
    {
        weights w;
        tile<T, weight_of<1>> bias;
        for_each_thread<weight_of<2>>([&](thread t) __attribute__((always_inline)) {
            // Of its two channels, the halves of a word, the one on the diagonal, if one is.
            const int mine         = t.lane / 4 - t.lane % 4 * 2;
            const unsigned factor  = mine == 0 ? 1 : mine == 1 ? 1u << 16 : 0;
            bias.file_of(t).reg[0] = __builtin_bit_cast(
                vector<T, 2>, __builtin_bit_cast(unsigned, biases.file_of(t).reg[slice]) & factor * 0xffffu);
            static_for<Known.taps() * beside>([&](auto i) __attribute__((always_inline)) {
                constexpr int x = i % (Known.cols * beside), y = i / (Known.cols * beside), tap = i / beside;
                const unsigned both = [&] {
                    if constexpr(Group > 1)
                        return weight<unsigned>(wei, column(t, slice) + mine, tap,
                                                i % beside * square_product::channels + t.lane % 4 * 2);
                    else
                        return __builtin_bit_cast(unsigned short, weight(wei, column(t, slice) + (mine == 1), tap, 0)) *
                               factor;
                }();
                static_for<2>([&](auto v) __attribute__((always_inline)) {
                    const T one = __builtin_bit_cast(T, static_cast<unsigned short>(both >> 16 * v));
                    if constexpr(x < 2 * pairs)
                        w.row[y].pair[x / 2].file_of(t).set(0, x % 2 * 2 + v, one);
                    else
                        w.row[y].last.file_of(t).set(0, v, one);
                });
            });
        });
        if constexpr(Kept)
        {
            w.start = {};
            multiply<1>(w.start, generate<T, seen<1>>([](int, int) { return T(1); }), bias);
        }
        else
            for_each_thread<made>([&](thread t) __attribute__((always_inline)) {
                static_for<4>(
                    [&](auto v) { w.start.file_of(t).set(0, v, convert<float>(biases.file_of(t).get(slice, v % 2))); });
            });
        return w;
    }
    // Of one of of_tap channels of X; or of two neighbours, as a word.
    template <class Word = T>
    static CK_TILE_FN Word weight(const T* wei, int channel, int tap, int seen)
    {
        const T* from = wei + (channel * Known.taps() + tap) * of_tap + seen;
        check_lds_read(from, sizeof(Word));
        if constexpr(std::is_same_v<Word, T>)
            return *from;
        Word read;
        __builtin_memcpy(&read, __builtin_assume_aligned(from, sizeof(Word)), sizeof read);
        return read;
    }

    template <int Taps>
    static CK_TILE_FN void multiply(auto& sums, const auto& pixels, const auto& weights)
    {
        ck_tile::detail::multiply_files<op<Taps>, 1, 1, 1, Waves, fragment_range{0, 1, 0, 1}>(sums.files, pixels.files,
                                                                                              weights.files);
    }

    // A thread's sums by multiply-adds, one pixel after the other.
    template <auto Layout>
    static CK_TILE_FN void make_again(auto& own, thread t, const lds_tile<T, Layout>& x, const T* wei,
                                      const region_shape& region, const auto& biases, int of_group)
    {
        const int seen = Group == 1 ? 1 : of_group; // channels
        static_for<slices>([&](auto slice) {
            CK_TILE_KEEP_LOOP
            for(int i = 0; i < of_slice; ++i)
            {
                const int input = first_input(region, t, i / rows, first_element<D, 0>(t) % Whole.cols) +
                                  i % rows * Known.stride * region.halo_cols.divisor;
                float sum[2]    = {convert<float>(biases.file_of(t).get(slice, 0)),
                                   convert<float>(biases.file_of(t).get(slice, 1))};
                CK_TILE_KEEP_LOOP
                for(int tap = 0; tap < Known.taps(); ++tap)
                {
                    const int line = input + tap / Known.cols * region.halo_cols.divisor + tap % Known.cols;
                    for(int v = 0; v < 2; ++v)
                    {
                        const int channel = column(t, slice) + v, first = channel / seen * seen;
                        CK_TILE_KEEP_LOOP
                        for(int other = first; other < first + seen; ++other)
                        {
                            const T* at = x.at(line, other);
                            check_lds_read(at, sizeof *at);
                            sum[v] = __builtin_fmaf(convert<float>(*at),
                                                    convert<float>(weight(wei, channel, tap, other % of_tap)), sum[v]);
                        }
                    }
                }
                register_for<of_slice>([&](auto r) {
                    for(int v = 0; v < 2; ++v)
                        own.set(slice * of_slice + r, v, r == i ? sum[v] : own.get(slice * of_slice + r, v));
                });
            }
        });
    }

    // Pixels from a row of the halo to the next one: what the compiler knows of a region of one patch.
    static CK_TILE_FN auto pitch_of(const region_shape& region)
    {
        if constexpr(OnePatch)
            return constant<(Whole.cols - 1) * Known.stride + Known.cols>{};
        else
            return region.halo_cols.divisor;
    }
    // From one pixel to that so many rows and columns further.
    static CK_TILE_FN auto beyond(auto pitch, auto rows, auto cols)
    {
        if constexpr(OnePatch)
            return constant<rows * pitch + cols>{};
        else
            return rows * pitch + cols;
    }
    // The first of a lane's channels of a slice.
    static CK_TILE_FN int column(thread t, int slice)
    {
        return first_element<D, 1>(t) + slice * square_product::channels;
    }
    // What pixel `x` of the first row that a wave has of its `patch`th patch sees first.
    static CK_TILE_FN int first_input(const region_shape& region, thread t, int patch, int x)
    {
        const int row = first_element<D, 0>(t), number = row / Whole.pixels() + patch;
        return region.first_input(number < region.patches() ? number : 0, row % Whole.pixels() / Whole.cols, x);
    }
    // f(slice, row, v) of the sums of two rows each that a patch has.
    static CK_TILE_FN void each_sum(auto&& f)
    {
        static_for<slices * half * 4>([&](auto i) __attribute__((always_inline)) {
            f(constant<i / (4 * half)>{}, constant<i / 4 % half>{}, constant<i % 4>{});
        });
    }
};

} // namespace ck_tile::conv
