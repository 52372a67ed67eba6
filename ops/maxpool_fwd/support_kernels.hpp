// SPDX-License-Identifier: MIT
// The reference kernel: one thread per element of the output, no tiles.
#pragma once

#include "ops/maxpool_fwd/kernel.hpp"

namespace ck_tile::maxpool_fwd
{

struct reference_arguments
{
    arguments base; // whose indices are flat, in 8 bytes
    bool channels_last;
};

// The maxima by their definition: a thread visits the elements of its window in scan order. Shares nothing with the main
// kernel but the problem's description.
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
        const auto at            = generate<std::int64_t, line>(
            [&](int i) { return i < here ? place_of_maximum(a, begin + i) : std::int64_t(0); });
        const auto largest = generate<float, line>([&](int i) {
            return i < here ? value_at(a, begin + i, static_cast<int>(place_of_maximum(a, begin + i))) : 0.f;
        });
        const auto write   = [&](auto* to, const auto& values) {
            store(make_window<line>(tensor_view{to + begin, here, packed<1>({here})}, multi_index{0}), values);
        };
        write(static_cast<element*>(a.base.out), convert<element>(largest));
        write(static_cast<std::int64_t*>(a.base.indices), at);
    }

    // The input in the plane of output element `at`, at pixel `pixel`.
    static CK_TILE_FN float value_at(const arguments& all, std::int64_t at, int pixel)
    {
        const maxpool_fwd::arguments& a = all.base;
        const std::int64_t outputs = product(a.output), inputs = product(a.input), plane = at / outputs;
        const std::int64_t image = at / a.channels / outputs;
        const std::int64_t from =
            all.channels_last ? (image * inputs + pixel) * a.channels + at % a.channels : plane * inputs + pixel;
        return convert<float>(static_cast<const element*>(a.in)[from]);
    }

    static CK_TILE_FN std::int64_t place_of_maximum(const arguments& all, std::int64_t at)
    {
        const maxpool_fwd::arguments& a = all.base;
        const int pixels                = product(a.output);
        const int out                   = static_cast<int>(all.channels_last ? at / a.channels % pixels : at % pixels);
        int best                        = -1;
        float largest                   = 0;
        for(int y = 0; y < a.window[0]; ++y)
            for(int x = 0; x < a.window[1]; ++x)
            {
                const int h = out / a.output[1] * a.stride[0] - a.left_pad[0] + y * a.dilation[0];
                const int w = out % a.output[1] * a.stride[1] - a.left_pad[1] + x * a.dilation[1];
                if(h < 0 || h >= a.input[0] || w < 0 || w >= a.input[1])
                    continue;
                const float value = value_at(all, at, h * a.input[1] + w);
                if(best < 0 || value > largest || value != value)
                    best = h * a.input[1] + w, largest = value;
            }
        return best;
    }
};

} // namespace ck_tile::maxpool_fwd
