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
// that is longer than 1. `Vector` elements are 16 bytes at most, divide `channels`, and are aligned. Null: zeros.
template <distribution D, class Element, int Vector>
CK_TILE_FN tile<Element, D> load_biases(const void* biases, int channels, int first)
{
    constexpr int dim      = D.length(0) > 1 ? 0 : 1;
    multi_index<2> lengths = {1, 1}, origin = {};
    lengths[dim] = channels, origin[dim] = first;
    const auto map = [&](const auto& rows, const auto& cols) {
        return transform(packed(lengths), along<dims{0}, dims{0}>(rows), along<dims{1}, dims{1}>(cols));
    };
    const auto to_the_end = [&] { // where channels end, memory does
        if constexpr(dim == 0)
            return map(unbounded{}, pass_through{1});
        else
            return map(pass_through{1}, unbounded{});
    }();
    const tensor_view all{static_cast<const Element*>(biases), std::int64_t(biases != nullptr ? channels : 0),
                          to_the_end};
    return rearrange<D>(load(make_window<in_vectors(D, Vector)>(all, origin)));
}
// The same in fp32.
template <distribution D, class Element, int Vector>
CK_TILE_FN tile<float, D> load_bias(const void* biases, int channels, int first)
{
    return convert<float>(load_biases<D, Element, Vector>(biases, channels, first));
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
// function and views of what it takes, or finished. Where waves write by themselves, biases and activations are applied to what threads hold,
// which have many elements of each channel, and only a residual is read as the result is written; where the result goes through LDS strip by
// strip, compilers would copy all of the accumulator for that.
template <gemm::tile_config Tile, int Along, class Element, int Vector>
CK_TILE_FN void write_finished(const finish& end, tile<float, gemm::accumulator(Tile.shape())> product, int channels,
                               int group, int first, auto&& bias, auto&& residual, auto&& write)
{
    if constexpr(Tile.epilogue != gemm::epilogue::by_wave)
    {
        if(end.changes_nothing())
            write(product);
        else
            write(product, end, bias(), residual());
    }
    else
    {
        constexpr distribution each_channel = reduced<gemm::accumulator(Tile.shape()), 1 - Along>;
        if(end.bias != nullptr)
            product = map([](float x, float y) { return x + y; }, product,
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
}

} // namespace ck_tile::conv
