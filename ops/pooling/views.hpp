// SPDX-License-Identifier: MIT
// How the threads of a block share an image: each has one patch of it, and sees the parts of tensors that belong to that.
//
// The patches of an image are numbered in the order of the memory, and so are the threads, so that threads side by side
// access memory side by side:
//   nhwc   patch row, patch column, group of `vector` channels; a thread's vectors lie along the channels
//   nchw   channel, patch row, patch column; a thread's vectors lie along the width
// A tile has three dimensions: patch, place in the patch (row by row), channel of the group.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ops/pooling/layout.hpp"

#include <concepts>
#include <cstdint>

namespace ck_tile::pooling
{

// Of one image, in elements.
struct image_lengths
{
    int channels, height, width;
    CK_TILE_FN constexpr std::int64_t elements() const { return std::int64_t(channels) * height * width; }
};

// What of a tensor belongs to patch (i, j): `height` x `width` elements from (i * step - left) on, in each dimension.
// Elements beyond the tensor do not exist. A vector along the width begins at a multiple of its length.
struct field
{
    multi_index<2> left;
    multi_index<2> step;
    int height = 1, width = 1;
};

// One image of a tensor as [patch, place, channel of the group].
template <layout Order, int Vector, class T>
CK_TILE_FN constexpr auto patches_of(T* data, const image_lengths& image, const multi_index<2>& patches, const field& f)
{
    const auto [channels, height, width] = image;
    const int groups                     = channels / Vector;
    const multi_index<3> strides =
        Order == layout::nhwc ? multi_index{width * channels, channels, 1} : multi_index{width, 1, height * width};
    const auto padded =
        transform(strided<3>{{height, width, channels}, strides}, along<dims{0}, dims{0}>(pad{height, f.left[0], 0}),
                  along<dims{1}, dims{1}>(pad{width, f.left[1], 0}), along<dims{2}, dims{2}>(pass_through{channels}));
    const auto apart  = transform(padded, along<dims{0}, dims{0, 1}>(embed<2>{{patches[0], f.height}, {f.step[0], 1}}),
                                  along<dims{1}, dims{2, 3}>(embed<2>{{patches[1], f.width}, {f.step[1], 1}}),
                                  along<dims{2}, dims{4, 5}>(embed<2>{{groups, Vector}, {Vector, 1}}));
    const auto number = [&] {
        if constexpr(Order == layout::nhwc)
            return along<dims{0, 2, 4}, dims{0}>(merge<3>{{patches[0], patches[1], groups}});
        else
            return along<dims{4, 0, 2}, dims{0}>(merge<3>{{groups, patches[0], patches[1]}});
    }();
    return tensor_view{data, image.elements(),
                       transform(apart, number, along<dims{1, 3}, dims{1}>(merge<2>{{f.height, f.width}}),
                                 along<dims{5}, dims{2}>(pass_through{Vector}))};
}

// A distribution whose threads have one patch each, of `places` elements and `channels`: registers hold runs of `run` places
// or (run 1) all channels of a place.
constexpr distribution one_patch_each(architecture arch, int threads, int pixels, int run, int channels)
{
    const int wave = facts(arch).wave;
    return {.lengths = {threads, pixels, channels},
            .wave    = {{threads / wave, 0, wave}},
            .lane    = {{wave, 0, 1}},
            .reg     = {{pixels / run, 1, run}},
            .vec     = {{run, 1, 1}, {channels, 2, 1}}};
}

// Patches of an image by their numbers: rows, columns and groups of channels, in the order of the memory.
using patch_numbers = merge<3, dividers<3>>;
inline patch_numbers numbers_of(layout order, const multi_index<2>& patches, int groups)
{
    if(order == layout::nhwc)
        return {{patches[0], patches[1], groups}};
    return {{groups, patches[0], patches[1]}};
}

// The patches of a block: where the one of each thread is in the image, worked out once.
template <layout Order, distribution D>
class thread_patches
{
    static constexpr int channels = D.length(2); // of a thread

  public:
    struct patch
    {
        multi_index<2> at; // row and column of patches
        int channel;       // the first one
        bool exists;       // the last block has more threads than there are patches
    };

    // From patch number `first` on.
    CK_TILE_FN thread_patches(int first, const patch_numbers& numbers)
    {
        for_each_thread<D>([&](thread t) {
            const int number  = first + first_element<D, 0>(t);
            const auto digits = numbers.map({number});
            const bool exists = number < numbers.end;
            if constexpr(Order == layout::nhwc)
                own_[t.copy] = {{digits[0], digits[1]}, digits[2] * channels, exists};
            else
                own_[t.copy] = {{digits[1], digits[2]}, digits[0] * channels, exists};
        });
    }

    CK_TILE_FN const patch& operator[](thread t) const { return own_[t.copy]; }

  private:
    ck_tile::detail::per_thread<patch, copies_of(D.threads())> own_;
};

// Some pixels of a row of one image of a tensor, for each thread: from one of its own on, and others at the same distance from that for all.
// Dimensions of its tile: patch, pixel, channel. `Inside`: all that are wanted exist, so that nothing is asked. A thread knows where its columns
// are, and which of them exist, from when it moved to them: rows cost an addition.
template <layout Order, class T, distribution D, bool Inside = false>
class pixel_window
{
  public:
    using element                        = T;
    static constexpr distribution layout = D;
    static constexpr int most            = D.length(1); // pixels

    // pixel(patch) is the first one of the thread that has it; those of a row are `apart` columns apart.
    template <class Patches, class Pixel>
    CK_TILE_FN pixel_window(const Patches& patches, T* data, const image_lengths& image, const Pixel& pixel,
                            int apart = 1)
        : memory_(data, image.elements() * static_cast<std::int64_t>(sizeof(T))), image_(image), apart_(apart)
    {
        for_each_thread<D>([&](thread t) {
            const auto& p = patches[t];
            own_[t.copy]  = {pixel(p), channel_offset(p.channel), p.exists, {}};
        });
        move_to_columns(0);
    }

    // To columns from so far beyond the thread's own on: to as many as `pixels`, or as pixels(thread).
    CK_TILE_FN void move_to_columns(int beyond, int pixels = most)
    {
        move_to_columns(beyond, [=](thread) { return pixels; });
    }
    template <std::invocable<thread> Pixels>
    CK_TILE_FN void move_to_columns(int beyond, const Pixels& pixels)
    {
        for_each_thread<D>([&](thread t) {
            own& o = own_[t.copy];
            static_for<columns.size()>([&](auto i) {
                constexpr int further = columns.along(1, i);
                const int pixel       = first_element<D, 1>(t) + further,
                          x           = wrapped_sum(o.at[1], wrapped_sum(beyond, wrapped_product(pixel, apart_)));
                const bool wanted = pixel < pixels(t), in_row = Inside || unsigned(x) < unsigned(image_.width),
                           exists = wanted & in_row;
                o.columns[i]      = exists ? offset_of({0, x}) + o.channel : nowhere;
            });
        });
    }
    // To the row so far below the thread's own.
    CK_TILE_FN void move_to_row(int beyond) { row_ = beyond; }

    // The thread's own pixel: its coordinate, and its number, row by row.
    CK_TILE_FN const multi_index<2>& at(thread t) const { return own_[t.copy].at; }
    CK_TILE_FN int number(thread t) const { return wrapped_sum(wrapped_product(at(t)[0], image_.width), at(t)[1]); }

    // Calls visit(register number, byte offset), as load() and store() want it: of a pixel all channels exist, or none.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const own& o       = own_[t.copy];
        const int y        = wrapped_sum(o.at[0], row_);
        const bool in_rows = Inside || unsigned(y) < unsigned(image_.height), exists = o.exists & in_rows;
        const unsigned row = offset_of({y, 0});
        static_for<D.regs()>([&](auto r) {
            constexpr int column = D.reg.number_in(1, r), channel = D.reg.along(2, r);
            visit(r, plane_offset{exists ? row + o.columns[column] : nowhere, channel_offset(channel)});
        });
    }
    // Where the pixel so far beyond the thread's own begins; nowhere, if it does not exist. Coordinates of legal problems may lie so far
    // outside that they wrap; then nothing is there.
    CK_TILE_FN unsigned offset(thread t, const multi_index<2>& beyond) const
    {
        const own& o = own_[t.copy];
        const int y = wrapped_sum(o.at[0], beyond[0]), x = wrapped_sum(o.at[1], beyond[1]);
        const bool in_rows = unsigned(y) < unsigned(image_.height), in_cols = unsigned(x) < unsigned(image_.width),
                   exists = o.exists & in_rows & in_cols;
        return exists ? offset_of({y, x}) + o.channel : nowhere;
    }
    CK_TILE_FN bool has(thread t, const multi_index<2>& beyond) const { return offset(t, beyond) < nowhere; }
    // From the first channel of a pixel to this one.
    CK_TILE_FN unsigned channel_offset(int channel) const
    {
        return ck_tile::detail::byte_offset<T>(
            wrapped_product(channel, Order == pooling::layout::nhwc ? 1 : image_.height * image_.width));
    }
    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    static constexpr digits columns = D.reg.only(1);

    CK_TILE_FN unsigned offset_of(const multi_index<2>& pixel) const
    {
        return ck_tile::detail::byte_offset<T>(
            wrapped_product(wrapped_sum(wrapped_product(pixel[0], image_.width), pixel[1]),
                            Order == pooling::layout::nhwc ? image_.channels : 1));
    }

    struct own
    {
        multi_index<2> at;
        unsigned channel; // byte offset of the first one
        bool exists;      // whether the thread has a patch
        unsigned
            columns[pixel_window::columns.size()]; // byte offsets in the first row; nowhere, if not wanted or outside
    };

    memory_range memory_;
    image_lengths image_;
    int apart_;
    int row_ = 0;
    ck_tile::detail::per_thread<own, copies_of(D.threads())> own_;
};

} // namespace ck_tile::pooling
