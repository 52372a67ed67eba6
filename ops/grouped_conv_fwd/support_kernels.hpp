// SPDX-License-Identifier: MIT
// The small kernels beside the main one: the ordered sum of partials, copies of tensors, and the reference.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
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
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type, finish_sum>;

template <architecture Arch, data_type Type>
using reference_program = conv::reference_program<Arch, Type, conv::forward_reference>;

} // namespace ck_tile::grouped_conv_fwd
