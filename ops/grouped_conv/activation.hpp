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
        return x * approximate_reciprocal(1 + approximate_exp2(-log2_e * x));
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
    case activation::none: [[clang::always_inline]] return f([](float x) { return x; });
    case activation::relu: [[clang::always_inline]] return f([](float x) { return activate(activation::relu, x); });
    case activation::relu6: [[clang::always_inline]] return f([](float x) { return activate(activation::relu6, x); });
    case activation::silu: [[clang::always_inline]] return f([](float x) { return activate(activation::silu, x); });
    }
}

// y = activation(convolution + bias of the channel + residual), of which all but the first may be missing.
struct finish
{
    const void* bias;     // [groups, K]; null: none
    const void* residual; // as Y; null: none
    conv::activation activation;

    CK_TILE_FN bool changes_nothing() const
    {
        return bias == nullptr && residual == nullptr && activation == conv::activation::none;
    }
    CK_TILE_FN float operator()(float sum, float channel_bias, float shortcut) const
    {
        return activate(activation, sum + channel_bias + shortcut);
    }
};

} // namespace ck_tile::conv
