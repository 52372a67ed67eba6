// SPDX-License-Identifier: MIT
// The reference kernel: one thread per element of dX, no tiles.
#pragma once

#include "ops/maxpool_bwd/kernel.hpp"

namespace ck_tile::maxpool_bwd
{

struct reference_arguments
{
    arguments base;
    indices kind;
    bool channels_last;
};

// dX by its definition: a thread visits the windows that contain its element, in scan order, and adds those gradients whose
// index tells this element, in fp32. Shares nothing with the main kernel but the problem's description.
template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int threads       = facts(Arch).wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = reference_arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{threads, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t all   = std::int64_t(a.base.batch) * a.base.channels * product(a.base.input);
        const std::int64_t begin = std::int64_t(b.at.x) * threads;
        const int here           = all - begin < threads ? static_cast<int>(all - begin) : threads;
        const auto sums      = generate<float, line>([&](int i) { return i < here ? gradient(a, begin + i) : 0.f; });
        const tensor_view in = {static_cast<element*>(a.base.in) + begin, here, packed<1>({here})};
        store(make_window<line>(in, multi_index{0}), convert<element>(sums));
    }

    static CK_TILE_FN float gradient(const arguments& all, std::int64_t at)
    {
        const maxpool_bwd::arguments& a = all.base;
        const int pixels = product(a.input), channels = a.channels;
        const std::int64_t image = at / pixels / channels;
        const int channel        = static_cast<int>(all.channels_last ? at % channels : at / pixels % channels);
        const int pixel          = static_cast<int>(all.channels_last ? at / channels % pixels : at % pixels);
        const multi_index<2> i   = {pixel / a.input[1], pixel % a.input[1]};

        multi_index<2> begin, end; // of the windows that contain the element
        for(int d = 0; d < 2; ++d)
        {
            const int padded = i[d] + a.left_pad[d], span = (a.window[d] - 1) * a.dilation[d] + 1;
            begin[d] = padded < span ? 0 : (padded - span) / a.stride[d] + 1;
            end[d]   = padded / a.stride[d] + 1 < a.output[d] ? padded / a.stride[d] + 1 : a.output[d];
        }
        float sum = 0;
        for(int oh = begin[0]; oh < end[0]; ++oh)
            for(int ow = begin[1]; ow < end[1]; ++ow)
            {
                const std::int64_t plane = (image * channels + channel) * product(a.output) + oh * a.output[1] + ow;
                const std::int64_t last  = (image * product(a.output) + oh * a.output[1] + ow) * channels + channel;
                const std::int64_t from  = all.channels_last ? last : plane;
                if(index_of(all, from, {oh, ow}) == pixel)
                    sum += convert<float>(static_cast<const element*>(a.out)[from]);
            }
        return sum;
    }

    // The pixel that window (oh, ow) has as maximum.
    static CK_TILE_FN std::int64_t index_of(const arguments& all, std::int64_t from, const multi_index<2>& o)
    {
        const maxpool_bwd::arguments& a = all.base;
        if(all.kind == indices::int64)
            return static_cast<const std::int64_t*>(a.indices)[from];
        if(all.kind == indices::int32)
            return static_cast<const std::int32_t*>(a.indices)[from];
        const int tap = static_cast<const std::uint8_t*>(a.indices)[from];
        const int h   = o[0] * a.stride[0] - a.left_pad[0] + tap / a.window[1] * a.dilation[0];
        const int w   = o[1] * a.stride[1] - a.left_pad[1] + tap % a.window[1] * a.dilation[1];
        return std::int64_t(h) * a.input[1] + w;
    }
};

} // namespace ck_tile::maxpool_bwd
