// SPDX-License-Identifier: MIT
// The reference kernel: one thread per element of the output, no tiles.
#pragma once

#include "ops/avgpool_fwd/kernel.hpp"

#include <cstdint>

namespace ck_tile::avgpool_fwd
{

struct reference_arguments
{
    arguments base;
    bool channels_last;
};

// The means by their definition: a thread visits the elements of its window in scan order, adds in fp32, and counts. Shares nothing with
// the main kernel but the problem's description.
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
        const std::int64_t all   = std::int64_t(a.base.batch) * a.base.channels * product(a.base.output);
        const std::int64_t begin = std::int64_t(b.at.x) * threads;
        const int here           = all - begin < threads ? static_cast<int>(all - begin) : threads;
        const auto means         = generate<float, line>([&](int i) { return i < here ? mean_at(a, begin + i) : 0.f; });
        const tensor_view out    = {static_cast<element*>(a.base.out) + begin, here, packed<1>({here})};
        store(make_window<line>(out, multi_index{0}), convert<element>(means));
    }

    static CK_TILE_FN float mean_at(const arguments& all, std::int64_t at)
    {
        const avgpool_fwd::arguments& a = all.base;
        const int pixels = product(a.output), channels = a.channels;
        const int out            = static_cast<int>(all.channels_last ? at / channels % pixels : at % pixels);
        const std::int64_t image = at / channels / pixels, inputs = product(a.input);
        float sum = 0, counted = 0;
        for(int y = 0; y < a.window[0]; ++y)
            for(int x = 0; x < a.window[1]; ++x)
            {
                const int h = out / a.output[1] * a.stride[0] - a.left_pad[0] + y;
                const int w = out % a.output[1] * a.stride[1] - a.left_pad[1] + x;
                counted += counts(a, 0, h) && counts(a, 1, w) ? 1.f : 0.f;
                if(h < 0 || h >= a.input[0] || w < 0 || w >= a.input[1])
                    continue;
                const std::int64_t pixel = std::int64_t(h) * a.input[1] + w;
                const std::int64_t from  = all.channels_last ? (image * inputs + pixel) * channels + at % channels
                                                             : at / pixels * inputs + pixel;
                sum += convert<float>(static_cast<const element*>(a.in)[from]);
            }
        return sum / (a.divisor.of_all != 0 ? a.divisor.of_all : counted);
    }

    static CK_TILE_FN bool counts(const avgpool_fwd::arguments& a, int d, int at)
    {
        return at >= a.divisor.begin[d] && at < a.divisor.end[d];
    }
};

} // namespace ck_tile::avgpool_fwd
