// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, copies of tensors, and the reference.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv_fwd/kernel.hpp"

namespace ck_tile::grouped_conv_fwd
{

// `finish` of the sum of an element of Y, channels-last.
struct finish_sum
{
    finish end;
    std::int64_t outputs_per_bias; // elements of Y that share `channels` of the bias; then come the next ones
    int channels;

    template <class T>
    CK_TILE_FN float operator()(float sum, std::int64_t at) const
    {
        const auto value = [](const void* from, std::int64_t i) {
            return from == nullptr ? 0.f : convert<float>(static_cast<const T*>(from)[i]);
        };
        const std::int64_t channel = at / outputs_per_bias * channels + at % channels;
        return end(sum, value(end.bias, channel), value(end.residual, at));
    }
};

template <architecture Arch, data_type Type>
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type, finish_sum>;

// Y by its definition: taps, then channels.
struct outputs
{
    using arguments = grouped_conv_fwd::arguments;

    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.outputs; }

    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t number)
    {
        const conv::arguments& a    = all.conv;
        const conv::image_element y = conv::image_element_at(number, a.out, a.output, a.k, a.batch);
        const auto value            = [](const void* from, std::int64_t i) {
            return from == nullptr ? 0.f : convert<float>(static_cast<const T*>(from)[i]);
        };
        const float bias = value(all.end.bias, y.group * a.k + y.channel), residual = value(all.end.residual, y.offset);
        static_cast<T*>(all.out)[y.offset] = convert<T>(all.end(sum<T>(all, y), bias, residual));
    }

    template <class T>
    static CK_TILE_FN float sum(const arguments& all, const conv::image_element& y)
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
                       convert<float>(wei[conv::place_in_row(a, tap, c)]);
        }
        return sum;
    }
};

template <architecture Arch, data_type Type>
using reference_program = conv::reference_program<Arch, Type, outputs>;

} // namespace ck_tile::grouped_conv_fwd
