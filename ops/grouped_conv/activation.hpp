// SPDX-License-Identifier: MIT
// What a layer applies to each element of a convolution's result, in fp32 before it is rounded to its type.
#pragma once

#include "ck_tile/numeric/enumeration.hpp"
#include "ck_tile/targets/primitives.hpp"

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
    const float above = how != activation::none ? larger(x, 0) : x;
    return how == activation::relu6 ? smaller(above, 6) : above;
}

// f(x -> activate(how, x)), compiled for each activation: where many elements have the same one.
template <class F>
CK_TILE_FN void with_activation(activation how, F&& f)
{
    switch(how)
    {
    case activation::none: return f([](float x) { return x; });
    case activation::relu: return f([](float x) { return activate(activation::relu, x); });
    case activation::relu6: return f([](float x) { return activate(activation::relu6, x); });
    case activation::silu: return f([](float x) { return activate(activation::silu, x); });
    }
}

} // namespace ck_tile::conv
