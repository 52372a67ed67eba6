// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, copies of tensors, and the reference.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv_bwd_data/kernel.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

template <architecture Arch, data_type Type>
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type>;

// dX by its definition: taps, then channels.
struct inputs
{
    using arguments = grouped_conv_bwd_data::arguments;

    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.inputs; }

    template <class T>
    static CK_TILE_FN void compute(const arguments& all, std::int64_t number)
    {
        const conv::arguments& a    = all.conv;
        const conv::image_element x = conv::image_element_at(number, a.in, a.input, a.c, a.batch);
        const int taps              = product(a.filter);
        const auto* out             = static_cast<const T*>(all.out) + x.group * a.out.group + x.image * a.out.image;
        const auto* wei             = static_cast<const T*>(all.wei) + x.group * a.k * taps * a.c;
        float sum                   = 0;
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
                       convert<float>(wei[std::int64_t(k) * taps * a.c + conv::place_in_row(a, tap, x.channel)]);
        }
        static_cast<T*>(all.in)[x.offset] = convert<T>(sum);
    }
};

template <architecture Arch, data_type Type>
using reference_program = conv::reference_program<Arch, Type, inputs>;

} // namespace ck_tile::grouped_conv_bwd_data
