// SPDX-License-Identifier: MIT
// The small kernels beside the main one: copies of tensors, and the reference, which is that of one convolution and then the other.
#pragma once

#include "ops/grouped_conv/repack.hpp"
#include "ops/grouped_conv_conv_fwd/kernel.hpp"
#include "ops/grouped_conv_fwd/support_kernels.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

template <architecture Arch, data_type Type>
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using reference_program = grouped_conv_fwd::reference_program<Arch, Type>;

// Rounds the intermediate of a reference in fp32 to another type, in place.
struct rounding
{
    struct arguments
    {
        void* values;
        std::int64_t count;
        data_type to;
    };

    static CK_TILE_FN std::int64_t elements(const arguments& a) { return a.count; }

    template <class T>
    static CK_TILE_FN void compute(const arguments& a, std::int64_t number)
    {
        T& value      = static_cast<T*>(a.values)[number];
        const float x = convert<float>(value);
        value         = convert<T>(a.to == data_type::fp16   ? convert<float>(convert<fp16>(x))
                                   : a.to == data_type::bf16 ? convert<float>(convert<bf16>(x))
                                                             : x);
    }
};

template <architecture Arch, data_type Type>
using round_program = conv::reference_program<Arch, Type, rounding>;

} // namespace ck_tile::grouped_conv_conv_fwd
