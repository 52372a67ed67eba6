// SPDX-License-Identifier: MIT
// The small kernel beside the main one that is its own: the ordered sum of partials, whose end is the forward convolution's.
#pragma once

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
using sum_program = conv::sum_program<Arch, Type, finish_sum>;

} // namespace ck_tile::grouped_conv_fwd
