// SPDX-License-Identifier: MIT
// Reference kernels of convolutions: one thread per element of the result, which adds its terms in fp32 in the order of the
// definition. They share nothing with the main kernels but the problem's description.
#pragma once

#include "ck_tile/core/transforms.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/arguments.hpp"

namespace ck_tile::conv
{

// `Direction` says
//   arguments
//   elements(arguments)                         of the result
//   compute<element>(arguments, number)         one of them, and where it goes
template <architecture Arch, data_type Type, class Direction>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = typename Direction::arguments;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t begin = std::int64_t(b.at.x) * threads, rest = Direction::elements(a) - begin;
        generate<float, line>([&](int i) {
            if(i < rest)
                Direction::template compute<element_t<Type>>(a, begin + i);
            return 0.f;
        });
    }
};

// One element of a tensor of images, and where it lies.
struct image_element
{
    std::int64_t group, image, offset;
    multi_index<3> pixel;
    int channel;
};

// Element number `at`, counted as [group][image][pixel][channel], whatever the layout is.
CK_TILE_FN image_element image_element_at(std::int64_t at, const image_strides& s, const multi_index<3>& lengths,
                                          int channels, int batch)
{
    const int pixels = product(lengths);
    image_element e;
    e.channel              = static_cast<int>(at % channels);
    const std::int64_t row = at / channels;
    e.pixel                = merge<3>{lengths}.map({static_cast<int>(row % pixels)});
    e.image                = row / pixels % batch;
    e.group                = row / pixels / batch;
    e.offset               = e.group * s.group + e.image * s.image + std::int64_t(e.channel) * s.channel;
    for(int d = 0; d < 3; ++d)
        e.offset += std::int64_t(e.pixel[d]) * s.spatial[d];
    return e;
}

// Where weight (tap, c) lies in its row, which is [taps][c] or, channels first, [c][taps].
CK_TILE_FN std::int64_t place_in_row(const arguments& a, int tap, int c)
{
    return a.in.channel == 1 ? std::int64_t(tap) * a.c + c : std::int64_t(c) * product(a.filter) + tap;
}

// Y by its definition: taps, then channels.
struct forward_reference
{
    struct arguments
    {
        const void* in;
        const void* wei;
        void* out;
        finish end;
        conv::arguments conv;
        std::int64_t outputs; // elements of Y
    };

    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.outputs; }

    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t number)
    {
        const conv::arguments& a = all.conv;
        const image_element y    = image_element_at(number, a.out, a.output, a.k, a.batch);
        const auto value         = [](const void* from, std::int64_t i) {
            return from == nullptr ? 0.f : convert<float>(static_cast<const T*>(from)[i]);
        };
        const float bias = value(all.end.bias, y.group * a.k + y.channel), residual = value(all.end.residual, y.offset);
        static_cast<T*>(all.out)[y.offset] = convert<T>(all.end(sum<T>(all, y), bias, residual));
    }

    template <class T>
    static CK_TILE_FN float sum(const arguments& all, const image_element& y)
    {
        const conv::arguments& a = all.conv;
        const int taps           = product(a.filter);
        const auto* in           = static_cast<const T*>(all.in) + y.group * a.in.group + y.image * a.in.image;
        const auto* wei          = static_cast<const T*>(all.wei) + (y.group * a.k + y.channel) * taps * a.c;
        float sum                = 0;
        for(int tap = 0; tap < taps; ++tap)
        {
            const auto t        = merge<3>{a.filter}.map({tap});
            bool exists         = true;
            std::int64_t offset = 0;
            for(int d = 0; d < 3; ++d)
            {
                const int i = y.pixel[d] * a.stride[d] + t[d] * a.dilation[d] - a.left_pad[d];
                exists      = exists && i >= 0 && i < a.input[d];
                offset += std::int64_t(i) * a.in.spatial[d];
            }
            for(int c = 0; exists && c < a.c; ++c)
                sum += convert<float>(in[offset + std::int64_t(c) * a.in.channel]) *
                       convert<float>(wei[place_in_row(a, tap, c)]);
        }
        return sum;
    }
};

// dX by its definition: taps, then channels.
struct backward_data_reference
{
    struct arguments
    {
        const void* out;
        const void* wei;
        void* in;
        conv::arguments conv;
        std::int64_t inputs; // elements of dX
    };

    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.inputs; }

    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t number)
    {
        const conv::arguments& a = all.conv;
        const image_element x    = image_element_at(number, a.in, a.input, a.c, a.batch);
        const int taps           = product(a.filter);
        const auto* out          = static_cast<const T*>(all.out) + x.group * a.out.group + x.image * a.out.image;
        const auto* wei          = static_cast<const T*>(all.wei) + x.group * a.k * taps * a.c;
        float sum                = 0;
        for(int tap = 0; tap < taps; ++tap)
        {
            const auto t        = merge<3>{a.filter}.map({tap});
            bool exists         = true;
            std::int64_t offset = 0;
            for(int d = 0; d < 3; ++d)
            {
                const int u = x.pixel[d] + a.left_pad[d] - t[d] * a.dilation[d], o = u / a.stride[d];
                exists = exists && u >= 0 && u % a.stride[d] == 0 && o < a.output[d];
                offset += std::int64_t(o) * a.out.spatial[d];
            }
            for(int k = 0; exists && k < a.k; ++k)
                sum += convert<float>(out[offset + std::int64_t(k) * a.out.channel]) *
                       convert<float>(wei[std::int64_t(k) * taps * a.c + place_in_row(a, tap, x.channel)]);
        }
        static_cast<T*>(all.in)[x.offset] = convert<T>(sum);
    }
};

// dW by its definition: images, then pixels; with splits, partials of so many pixels each, which the sum adds.
struct backward_weight_reference
{
    struct arguments
    {
        const void* in;
        const void* out;
        void* wei;
        float* partials; // [splits], each of dW's elements; null when there is one split
        conv::arguments conv;
        int splits, pixels_per_split;
    };

    static CK_TILE_FN std::int64_t weights_of(const arguments& a)
    {
        return std::int64_t(a.conv.groups) * a.conv.k * product(a.conv.filter) * a.conv.c;
    }
    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.splits * weights_of(a); }

    // dW is [group][k][taps][c] or, channels first, [group][k][c][taps].
    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t number)
    {
        const conv::arguments& a = all.conv;
        const std::int64_t split = number / weights_of(all), at = number % weights_of(all);
        const bool channels_last = a.in.channel == 1;
        const int taps           = product(a.filter);
        const int row            = static_cast<int>(at % (std::int64_t(taps) * a.c));
        const std::int64_t gk    = at / (std::int64_t(taps) * a.c);
        const int c              = channels_last ? row % a.c : row / taps;
        const auto tap           = merge<3>{a.filter}.map({channels_last ? row / a.c : row % taps});
        const auto* in   = static_cast<const T*>(all.in) + gk / a.k * a.in.group + std::int64_t(c) * a.in.channel;
        const auto* out  = static_cast<const T*>(all.out) + gk / a.k * a.out.group + gk % a.k * a.out.channel;
        const int pixels = product(a.output);

        const std::int64_t pixels_of_all = std::int64_t(a.batch) * pixels, begin = split * all.pixels_per_split;
        std::int64_t rest = all.splits == 1 ? pixels_of_all : all.pixels_per_split;
        rest              = rest < pixels_of_all - begin ? rest : pixels_of_all - begin;

        float sum = 0;
        for(std::int64_t n = begin / pixels, first = begin % pixels; rest > 0; ++n, first = 0)
            for(int pixel = static_cast<int>(first); pixel < pixels && rest > 0; ++pixel, --rest)
            {
                const auto o        = merge<3>{a.output}.map({pixel});
                bool exists         = true;
                std::int64_t offset = n * a.in.image;
                for(int d = 0; d < 3; ++d)
                {
                    const int i = o[d] * a.stride[d] + tap[d] * a.dilation[d] - a.left_pad[d];
                    exists      = exists && i >= 0 && i < a.input[d];
                    offset += std::int64_t(i) * a.in.spatial[d];
                }
                if(exists)
                    sum += convert<float>(out[n * a.out.image + std::int64_t(pixel) * a.out.spatial[2]]) *
                           convert<float>(in[offset]);
            }
        if(all.splits > 1)
            all.partials[number] = sum;
        else
            static_cast<T*>(all.wei)[at] = convert<T>(sum);
    }
};

} // namespace ck_tile::conv
