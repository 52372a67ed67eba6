// SPDX-License-Identifier: MIT
// What a layer applies to each element of a convolution's result, in fp32 before it is rounded to its type.
#pragma once

#include "ck_tile/numeric/enumeration.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/verbs/map.hpp"

#include <type_traits>

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

// x -> activate(How, x).
template <activation How>
struct activate_as
{
    CK_TILE_FN float operator()(float x) const { return activate(How, x); }

    // Of a tile, rounded to T. What compares alone may do so to numbers that are rounded already, as the limits are numbers of any type: two at
    // once, where an instruction does.
    template <class T, distribution D>
    CK_TILE_FN tile<T, D> rounded(const tile<float, D>& x) const
    {
        if constexpr(How == activation::silu || !compares_halves || sizeof(T) != 2 || D.vecs() % 2 != 0)
            return convert<T>(map(*this, x));
        else
        {
            tile<T, D> y = convert<T>(x);
            if constexpr(How != activation::none)
                for_each_thread<D>([&](thread t) {
                    static_for<D.regs()>([&](auto r) {
                        auto& own  = y.file_of(t).reg[r];
                        auto words = __builtin_bit_cast(vector<unsigned, D.vecs() / 2>, own);
                        static_for<D.vecs() / 2>([&](auto w) { words[int(w)] = limited<T>(words[int(w)]); });
                        own = __builtin_bit_cast(typename tile<T, D>::registers, words);
                    });
                });
            return y;
        }
    }

  private:
    template <class T>
    static CK_TILE_FN unsigned limited(unsigned word)
    {
        constexpr bool bf      = std::is_same_v<T, bf16>;
        constexpr unsigned six = bf ? 0x40c040c0 : 0x46004600;
        const unsigned above   = larger_halves<bf>(word, 0);
        return How == activation::relu6 ? smaller_halves<bf>(above, six) : above;
    }
};

// f(activate_as<how>()), compiled for each activation: where many elements have the same one.
template <class F>
CK_TILE_FN void with_activation(activation how, F&& f)
{
    switch(how)
    {
    case activation::none: [[clang::always_inline]] return f(activate_as<activation::none>());
    case activation::relu: [[clang::always_inline]] return f(activate_as<activation::relu>());
    case activation::relu6: [[clang::always_inline]] return f(activate_as<activation::relu6>());
    case activation::silu: [[clang::always_inline]] return f(activate_as<activation::silu>());
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
