// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, transposition, and the reference.
#pragma once

#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv/transpose.hpp"
#include "ops/grouped_conv_bwd_data/kernel.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

template <architecture Arch, data_type Type>
using transpose_program = conv::transpose_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type>;

// dX by its definition: one thread per element, which adds its terms in fp32 in the order of taps and channels. Shares nothing with
// the main kernel but the problem's description.
template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = grouped_conv_bwd_data::arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t begin = std::int64_t(b.at.x) * threads;
        const int here           = a.inputs - begin < threads ? static_cast<int>(a.inputs - begin) : threads;
        generate<float, line, 1>([&](int i) {
            if(i < here)
                write_input(a, begin + i);
            return 0.f;
        });
    }

    // Input number `at`, counted as [group][image][pixel][c], whatever the layout is.
    static CK_TILE_FN void write_input(const arguments& all, std::int64_t at)
    {
        const conv::arguments& a = all.conv;
        const int c = static_cast<int>(at % a.c), pixels = product(a.input);
        at /= a.c;
        const auto i = merge<3>{a.input}.map({static_cast<int>(at % pixels)});
        at /= pixels;
        const std::int64_t image = at % a.batch, group = at / a.batch;
        std::int64_t at_element = group * a.in.group + image * a.in.image + std::int64_t(c) * a.in.channel;
        for(int d = 0; d < 3; ++d)
            at_element += std::int64_t(i[d]) * a.in.spatial[d];
        static_cast<element*>(all.in)[at_element] = convert<element>(sum(all, group, image, i, c));
    }

    static CK_TILE_FN float sum(const arguments& all, std::int64_t group, std::int64_t image, const multi_index<3>& i,
                                int c)
    {
        const conv::arguments& a = all.conv;
        const int taps           = product(a.filter);
        const bool channels_last = a.in.channel == 1;
        const auto* out          = static_cast<const element*>(all.out) + group * a.out.group + image * a.out.image;
        const auto* wei          = static_cast<const element*>(all.wei) + group * a.k * taps * a.c;
        float sum                = 0;
        for(int tap = 0; tap < taps; ++tap)
        {
            const auto t        = merge<3>{a.filter}.map({tap});
            bool exists         = true;
            std::int64_t offset = 0;
            for(int d = 0; d < 3; ++d)
            {
                const int u = i[d] + a.left_pad[d] - t[d] * a.dilation[d], o = u / a.stride[d];
                exists = exists && u >= 0 && u % a.stride[d] == 0 && o < a.output[d];
                offset += std::int64_t(o) * a.out.spatial[d];
            }
            for(int k = 0; exists && k < a.k; ++k)
                sum +=
                    convert<float>(out[offset + std::int64_t(k) * a.out.channel]) *
                    convert<float>(wei[std::int64_t(k) * taps * a.c +
                                       (channels_last ? std::int64_t(tap) * a.c + c : std::int64_t(c) * taps + tap)]);
        }
        return sum;
    }
};

} // namespace ck_tile::grouped_conv_bwd_data
