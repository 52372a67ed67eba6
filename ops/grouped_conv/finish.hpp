// SPDX-License-Identifier: MIT
// The end of a matrix product's tile that is a convolution's result: bias, residual and activation.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/gemm/tile_config.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/activation.hpp"

namespace ck_tile::conv
{

// The biases of the channels from `first` on, of `channels` in all, for tiles that map() broadcasts to: channels lie along the dimension of D
// that is longer than 1. `Vector` elements divide `channels` and are aligned. Null: zeros.
template <distribution D, class Element, int Vector>
CK_TILE_FN tile<float, D> load_bias(const void* biases, int channels, int first)
{
    constexpr int along = D.length(0) > 1 ? 0 : 1;
    constexpr distribution accesses =
        in_vectors(D, Vector * int(sizeof(Element)) < 16 ? Vector : 16 / int(sizeof(Element)));
    multi_index<2> lengths = {1, 1}, origin = {};
    lengths[along] = channels, origin[along] = first;
    const tensor_view all{static_cast<const Element*>(biases), std::int64_t(biases != nullptr ? channels : 0),
                          packed(lengths)};
    return convert<float>(rearrange<D>(load(make_window<accesses>(all, origin))));
}

// Of an element of a product and of a residual.
struct add_and_activate
{
    activation how;

    template <class Visit>
    CK_TILE_FN void choose(Visit&& visit) const
    {
        with_activation(
            how, [&](const auto& activate) { visit([&](float x, float shortcut) { return activate(x + shortcut); }); });
    }
};

// Calls write(product, ...) for what becomes of a product whose channels, those of `group` from `first` on, lie along dimension `Along`: with a
// function and a view of the residual, if there is one, or finished. Biases and activations are applied to what threads hold, where a thread
// has many elements of each channel; only a residual is read as the result is written.
template <gemm::shape S, int Along, class Element, int Vector>
CK_TILE_FN void write_finished(const finish& end, tile<float, gemm::accumulator(S)> product, int channels, int group,
                               int first, auto&& residual, auto&& write)
{
    constexpr distribution each_channel = reduced<gemm::accumulator(S), 1 - Along>;
    if(end.bias != nullptr)
        product = map([](float x, float bias) { return x + bias; }, product,
                      load_bias<each_channel, Element, Vector>(
                          static_cast<const Element*>(end.bias) + std::int64_t(group) * channels, channels, first));
    if(end.residual != nullptr)
        write(product, add_and_activate{end.activation}, residual());
    else
    {
        with_activation(end.activation, [&](const auto& activate) { product = map(activate, product); });
        write(product);
    }
}

} // namespace ck_tile::conv
