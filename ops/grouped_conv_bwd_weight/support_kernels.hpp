// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, transposition, and the reference.
#pragma once

#include "ops/grouped_conv/sum.hpp"
#include "ops/grouped_conv/transpose.hpp"
#include "ops/grouped_conv_bwd_weight/kernel.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

template <architecture Arch, data_type Type>
using transpose_program = conv::transpose_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type>;

// dW by its definition: one thread per weight, which adds its terms in fp32 in the order of images and pixels. Shares
// nothing with the main kernel but the problem's description.
template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = grouped_conv_bwd_weight::arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t all   = std::int64_t(a.conv.groups) * a.conv.k * product(a.conv.filter) * a.conv.c;
        const std::int64_t begin = std::int64_t(b.at.x) * threads;
        const int here           = all - begin < threads ? static_cast<int>(all - begin) : threads;
        const auto sums       = generate<float, line, 1>([&](int i) { return i < here ? weight(a, begin + i) : 0.f; });
        const tensor_view wei = {static_cast<element*>(a.wei) + begin, here, packed<1>({here})};
        store(make_window<line>(wei, multi_index{0}), convert<element>(sums));
    }

    // The weight at a place of dW, which is [group][k][taps][c] or, channels first, [group][k][c][taps].
    static CK_TILE_FN float weight(const arguments& all, std::int64_t at)
    {
        const conv::arguments& a = all.conv;
        const bool channels_last = a.in.channel == 1;
        const int taps           = product(a.filter);
        const int row            = static_cast<int>(at % (std::int64_t(taps) * a.c));
        const std::int64_t gk    = at / (std::int64_t(taps) * a.c);
        const int c              = channels_last ? row % a.c : row / taps;
        const auto tap           = merge<3>{a.filter}.map({channels_last ? row / a.c : row % taps});
        const auto* in   = static_cast<const element*>(all.in) + gk / a.k * a.in.group + std::int64_t(c) * a.in.channel;
        const auto* out  = static_cast<const element*>(all.out) + gk / a.k * a.out.group + gk % a.k * a.out.channel;
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
        return sum;
    }
};

} // namespace ck_tile::grouped_conv_bwd_weight
