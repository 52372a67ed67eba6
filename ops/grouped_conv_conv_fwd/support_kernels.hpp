// SPDX-License-Identifier: MIT
// The small kernel beside the main one that is its own: what its reference, one convolution and then the other, has between them.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv_conv_fwd/kernel.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

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
