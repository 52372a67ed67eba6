// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, transposition, and the reference.
#pragma once

#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv/transpose.hpp"
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
using transpose_program = conv::transpose_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type, finish_sum>;

// Y by its definition: one thread per element, which adds its terms in fp32 in the order of taps and channels. Shares nothing with
// the main kernel but the problem's description.
template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = grouped_conv_fwd::arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t begin = std::int64_t(b.at.x) * threads;
        const int here           = a.outputs - begin < threads ? static_cast<int>(a.outputs - begin) : threads;
        generate<float, line, 1>([&](int i) {
            if(i < here)
                write_output(a, begin + i);
            return 0.f;
        });
    }

    // Output number `at`, counted as [group][image][pixel][k], whatever the layout is.
    static CK_TILE_FN void write_output(const arguments& all, std::int64_t at)
    {
        const conv::arguments& a = all.conv;
        const int k = static_cast<int>(at % a.k), pixels = product(a.output);
        at /= a.k;
        const auto o = merge<3>{a.output}.map({static_cast<int>(at % pixels)});
        at /= pixels;
        const std::int64_t image = at % a.batch, group = at / a.batch;
        std::int64_t at_element = group * a.out.group + image * a.out.image + std::int64_t(k) * a.out.channel;
        for(int d = 0; d < 3; ++d)
            at_element += std::int64_t(o[d]) * a.out.spatial[d];

        const auto value = [](const void* from, std::int64_t i) {
            return from == nullptr ? 0.f : convert<float>(static_cast<const element*>(from)[i]);
        };
        const float y = all.end(sum(all, group, image, o, k), value(all.end.bias, group * a.k + k),
                                value(all.end.residual, at_element));
        static_cast<element*>(all.out)[at_element] = convert<element>(y);
    }

    static CK_TILE_FN float sum(const arguments& all, std::int64_t group, std::int64_t image, const multi_index<3>& o,
                                int k)
    {
        const conv::arguments& a = all.conv;
        const int taps           = product(a.filter);
        const bool channels_last = a.in.channel == 1;
        const auto* in           = static_cast<const element*>(all.in) + group * a.in.group + image * a.in.image;
        const auto* wei          = static_cast<const element*>(all.wei) + (group * a.k + k) * taps * a.c;
        float sum                = 0;
        for(int tap = 0; tap < taps; ++tap)
        {
            const auto t        = merge<3>{a.filter}.map({tap});
            bool exists         = true;
            std::int64_t offset = 0;
            for(int d = 0; d < 3; ++d)
            {
                const int i = o[d] * a.stride[d] + t[d] * a.dilation[d] - a.left_pad[d];
                exists      = exists && i >= 0 && i < a.input[d];
                offset += std::int64_t(i) * a.in.spatial[d];
            }
            for(int c = 0; exists && c < a.c; ++c)
                sum += convert<float>(in[offset + std::int64_t(c) * a.in.channel]) *
                       convert<float>(wei[channels_last ? std::int64_t(tap) * a.c + c : std::int64_t(c) * taps + tap]);
        }
        return sum;
    }
};

} // namespace ck_tile::grouped_conv_fwd
