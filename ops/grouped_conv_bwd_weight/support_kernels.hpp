// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, copies of tensors, and the reference.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

template <architecture Arch, data_type Type>
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type>;

// dW by its definition: images, then pixels.
struct weights
{
    using arguments = grouped_conv_bwd_weight::arguments;

    static CK_TILE_FN std::int64_t elements(const arguments& a)
    {
        return std::int64_t(a.conv.groups) * a.conv.k * product(a.conv.filter) * a.conv.c;
    }

    // dW is [group][k][taps][c] or, channels first, [group][k][c][taps].
    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t at)
    {
        const conv::arguments& a = all.conv;
        const bool channels_last = a.in.channel == 1;
        const int taps           = product(a.filter);
        const int row            = static_cast<int>(at % (std::int64_t(taps) * a.c));
        const std::int64_t gk    = at / (std::int64_t(taps) * a.c);
        const int c              = channels_last ? row % a.c : row / taps;
        const auto tap           = merge<3>{a.filter}.map({channels_last ? row / a.c : row % taps});
        const auto* in   = static_cast<const T*>(all.in) + gk / a.k * a.in.group + std::int64_t(c) * a.in.channel;
        const auto* out  = static_cast<const T*>(all.out) + gk / a.k * a.out.group + gk % a.k * a.out.channel;
        const int pixels = product(a.output);

        float sum = 0;
        for(int n = 0; n < a.batch; ++n)
            for(int pixel = 0; pixel < pixels; ++pixel)
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
        static_cast<T*>(all.wei)[at] = convert<T>(sum);
    }
};

template <architecture Arch, data_type Type>
using reference_program = conv::reference_program<Arch, Type, weights>;

} // namespace ck_tile::grouped_conv_bwd_weight
