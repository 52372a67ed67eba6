// SPDX-License-Identifier: MIT
// The reference kernel: one thread per element of dX, no tiles.
#pragma once

#include "ops/avgpool_bwd/kernel.hpp"

namespace ck_tile::avgpool_bwd
{

struct reference_arguments
{
    arguments base;
    bool channels_last;
};

// dX by its definition: a thread visits the windows that contain its element, in scan order, and adds their gradients, divided, in fp32.
// Shares nothing with the main kernel but the problem's description.
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
        const avgpool_bwd::arguments& a = all.base;
        const int pixels = product(a.input), channels = a.channels;
        const std::int64_t image = at / pixels / channels;
        const int channel        = static_cast<int>(all.channels_last ? at % channels : at / pixels % channels);
        const int pixel          = static_cast<int>(all.channels_last ? at / channels % pixels : at % pixels);
        const multi_index<2> i   = {pixel / a.input[1], pixel % a.input[1]};

        multi_index<2> begin, end; // of the windows that contain the element
        for(int d = 0; d < 2; ++d)
        {
            const int padded = i[d] + a.left_pad[d];
            begin[d]         = padded < a.window[d] ? 0 : (padded - a.window[d]) / a.stride[d] + 1;
            end[d]           = padded / a.stride[d] + 1 < a.output[d] ? padded / a.stride[d] + 1 : a.output[d];
        }
        float sum = 0;
        for(int oh = begin[0]; oh < end[0]; ++oh)
            for(int ow = begin[1]; ow < end[1]; ++ow)
            {
                const std::int64_t plane = (image * channels + channel) * product(a.output) + oh * a.output[1] + ow;
                const std::int64_t last  = (image * product(a.output) + oh * a.output[1] + ow) * channels + channel;
                const float dy = convert<float>(static_cast<const element*>(a.out)[all.channels_last ? last : plane]);
                sum += dy / (a.divisor.of_all != 0 ? a.divisor.of_all : counted(a, 0, oh) * counted(a, 1, ow));
            }
        return sum;
    }

    // The elements that count of window o, one by one.
    static CK_TILE_FN float counted(const avgpool_bwd::arguments& a, int d, int o)
    {
        float count = 0;
        for(int i = 0; i < a.window[d]; ++i)
        {
            const int at = o * a.stride[d] - a.left_pad[d] + i;
            count += at >= a.divisor.begin[d] && at < a.divisor.end[d] ? 1.f : 0.f;
        }
        return count;
    }
};

} // namespace ck_tile::avgpool_bwd
