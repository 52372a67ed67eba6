// SPDX-License-Identifier: MIT
// What a layer applies to each element of a convolution's result, in fp32 before it is rounded to its type.
#pragma once

#include "ck_tile/numeric/enumeration.hpp"
#include "ck_tile/targets/execution.hpp"

namespace ck_tile::conv
{

enum class activation
{
    none,
    relu,  // max(x, 0)
    relu6, // min(max(x, 0), 6)
    silu   // x / (1 + exp(-x))
};

} // namespace ck_tile::conv

template <>
struct ck_tile::enumerators<ck_tile::conv::activation>
{
    using enum conv::activation;
    static constexpr const char* type                   = "conv::activation";
    static constexpr enumerator<conv::activation> all[] = {
        {none, "none"}, {relu, "relu"}, {relu6, "relu6"}, {silu, "silu"}};
};

namespace ck_tile::conv
{

// A NaN stays one.
CK_TILE_FN float activate(activation how, float x)
{
    if(how == activation::silu)
    {
        constexpr float log2_e = 1.44269504f;
        return x / (1 + __builtin_exp2f(-log2_e * x));
    }
    const float above = how != activation::none && x < 0 ? 0 : x;
    return how == activation::relu6 && above > 6 ? 6 : above;
}

} // namespace ck_tile::conv
