// SPDX-License-Identifier: MIT
// A convolution's tensors as the matrices of implicit GEMMs. One chain of transforms sees images through the windows of a
// convolution, [image, position..., tap..., channel]; merges make of it the operand of each direction:
//   forward          X, [image x output, tap x C]             windows of the input; W as [K, tap x C]; Y as [image x output, K]
//   backward weight  X, [tap x C, image x output]             the same windows turned; dY as [K, image x output]
//   backward data    dY, [image x q, tap of the class x K]    windows of one residue class; its W and dX
#pragma once

#include "ck_tile/core/gather_window.hpp"
#include "ck_tile/core/tensor_view.hpp"
#include "ops/grouped_conv/arguments.hpp"
#include "ops/grouped_conv/pixel_range.hpp"
#include "ops/grouped_conv/residue.hpp"

#include <utility>

namespace ck_tile::conv
{

// Some images in memory, and the windows of a convolution over them, of S spatial dimensions.
template <int S>
struct windows
{
    int images;
    divider channels;
    multi_index<S> lengths, before, after; // of an image; pixels that do not exist around it
    dividers<S> positions, taps;           // of windows in an image, of elements in a window
    multi_index<S> stride, dilation;       // pixels from one position, and from one tap, to the next
    multi_index<S + 2> strides;            // in memory, of [image, pixel..., channel], in elements

    // [image, pixel..., channel], padded
    CK_TILE_FN auto padded() const
    {
        return each_dimension([&]<int... d>(std::integer_sequence<int, d...>) {
            const strided<S + 2> memory = {{images, lengths[d]..., channels.divisor}, strides};
            return transform(memory, along<dims{0}, dims{0}>(pass_through{images}),
                             along<dims{1 + d}, dims{1 + d}>(pad{lengths[d], before[d], after[d]})...,
                             along<dims{S + 1}, dims{S + 1}>(pass_through{channels.divisor}));
        });
    }

    // [image, position..., tap..., channel]
    CK_TILE_FN auto chain() const
    {
        return each_dimension([&]<int... d>(std::integer_sequence<int, d...>) {
            return transform(padded(), along<dims{0}, dims{0}>(pass_through{images}),
                             along<dims{1 + d}, dims{1 + d, 1 + S + d}>(
                                 embed<2>{{positions[d].divisor, taps[d].divisor}, {stride[d], dilation[d]}})...,
                             along<dims{S + 1}, dims{2 * S + 1}>(pass_through{channels.divisor}));
        });
    }

    // [image x position, tap x channel]; positions end at `end`
    CK_TILE_FN auto positions_by_taps(int end) const
    {
        return transform(chain(), merged_positions<0>(end), merged_taps<1>());
    }

    // [tap x channel, image x position]
    CK_TILE_FN auto taps_by_positions(int end) const
    {
        return transform(chain(), merged_taps<0>(), merged_positions<1>(end));
    }

  private:
    template <class F>
    static CK_TILE_FN auto each_dimension(F&& f)
    {
        return f(std::make_integer_sequence<int, S>{});
    }

    template <int Upper>
    CK_TILE_FN auto merged_positions(int end) const
    {
        return each_dimension([&]<int... d>(std::integer_sequence<int, d...>) {
            return along<dims{0, 1 + d...}, dims{Upper}>(
                merge<S + 1, dividers<S + 1>>{{{undivided(images), positions[d]...}}, end});
        });
    }

    // In the order of the weights.
    template <int Upper>
    CK_TILE_FN auto merged_taps() const
    {
        return each_dimension([&]<int... d>(std::integer_sequence<int, d...>) {
            return along<dims{1 + S + d..., 2 * S + 1}, dims{Upper}>(
                merge<S + 1, dividers<S + 1>>{{{taps[d]..., channels}}});
        });
    }
};

namespace detail
{
template <int S>
CK_TILE_FN multi_index<S + 2> strides_of(const image_strides& s)
{
    multi_index<S + 2> all;
    all[0] = static_cast<int>(s.image);
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
        all[1 + d] = s.spatial[3 - S + d];
    all[S + 1] = s.channel;
    return all;
}
} // namespace detail

// X under the windows of the convolution.
template <int S>
CK_TILE_FN windows<S> input_windows(const arguments& a, int images)
{
    return {images,
            a.by_c,
            used<S>(a.input),
            used<S>(a.left_pad),
            used<S>(a.right_pad),
            used<S>(a.by_output),
            used<S>(a.by_filter),
            used<S>(a.stride),
            used<S>(a.dilation),
            detail::strides_of<S>(a.in)};
}

// dY under the windows of one residue class: a position is an input of the class, its taps lead to the outputs that it reaches.
template <int S>
CK_TILE_FN windows<S> class_windows(const arguments& a, const residue_class<S>& c, int images)
{
    windows<S> w = {.images    = images,
                    .channels  = a.by_k,
                    .lengths   = used<S>(a.output),
                    .before    = {},
                    .after     = {},
                    .positions = {},
                    .taps      = {},
                    .stride    = {},
                    .dilation  = {},
                    .strides   = detail::strides_of<S>(a.out)};
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
    {
        w.before[d]    = -c.along[d].first_output;
        w.positions[d] = c.along[d].by_positions;
        w.taps[d]      = c.along[d].by_taps;
        w.stride[d]    = 1;
        w.dilation[d]  = -c.along[d].output_step;
    }
    return w;
}

// A window of the tile that D distributes, at `origin` of positions_by_taps(): its rows stay. One that moves single elements keeps
// where each row is, so that filters may be of any length; others which taps lead to pixels: along one dimension a range, along more one
// bit for each, see gather_bits.
template <distribution D, class T, class Map>
CK_TILE_FN auto window_of_rows(const tensor_view<T, Map>& view, const multi_index<2>& origin)
{
    if constexpr(D.vecs() == 1)
        return make_window<D>(view, origin);
    else
        return make_gather_window<D>(view, origin);
}

// The address so many elements further; of a tensor that is absent, none: on the CPU, whose sanitizers see sums with no address.
template <class T>
CK_TILE_FN T* offset_by(T* data, std::int64_t elements)
{
    if(!on_device && data == nullptr)
        return data;
    return data + elements;
}

// A group's part of a tensor of images, from one of the images on.
template <class T>
CK_TILE_FN T* part_of(T* data, const image_strides& s, int group, int image)
{
    return offset_by(data, group * s.group + image * s.image);
}

// Y or dY as [channels, pixels], Channel being 0, or [pixels, channels], it being 1: pixels follow each other through all images, and
// end at `end`.
template <int Channel, class T>
CK_TILE_FN auto pixel_matrix(T* data, const image_strides& s, int channels, int end)
{
    const std::int64_t elements =
        std::int64_t(end) * s.spatial[2]; // at most: the channels of the last pixel end earlier
    const strided<2> memory = {{channels, end}, {s.channel, s.spatial[2]}};
    const auto channel      = along<dims{0}, dims{Channel}>(pass_through{channels});
    const auto pixels       = along<dims{1}, dims{1 - Channel}>(unbounded{});
    if constexpr(Channel == 0)
        return tensor_view{data, elements, transform(memory, channel, pixels)};
    else
        return tensor_view{data, elements, transform(memory, pixels, channel)};
}

// Channels and pixels of images that lie in any order, from the first image of `range` on: [channels, pixels], Channel being 0, or [pixels,
// channels], it being 1. Pixels end where the range does.
template <int Channel, class T>
CK_TILE_FN auto image_matrix(T* data, const image_strides& s, int channels, const divider& pixels,
                             const pixel_range& range)
{
    const strided<3> memory = {{range.images, channels, pixels.divisor},
                               {static_cast<int>(s.image), s.channel, s.spatial[2]}};
    const auto channel      = along<dims{1}, dims{Channel}>(pass_through{channels});
    const auto all_pixels =
        along<dims{0, 2}, dims{1 - Channel}>(merge<2, dividers<2>>{{undivided(range.images), pixels}, range.end});
    const std::int64_t elements = range.images * s.image; // at most: a group's part may end earlier
    if constexpr(Channel == 0)
        return tensor_view{data, elements, transform(memory, channel, all_pixels)};
    else
        return tensor_view{data, elements, transform(memory, all_pixels, channel)};
}

// The [K, tap x C] matrix number `matrix` of packed ones: a group of W or dW, or of the partial sums of one.
template <class T>
CK_TILE_FN auto weight_matrix(T* data, const arguments& a, int matrix)
{
    const multi_index<2> lengths = {a.k, product(a.filter) * a.c};
    const std::int64_t elements  = std::int64_t(lengths[0]) * lengths[1];
    return tensor_view{data + matrix * elements, elements,
                       transform(packed(lengths), along<dims{0}, dims{0}>(unbounded{}),
                                 along<dims{1}, dims{1}>(pass_through{lengths[1]}))};
}

// A group's W as [K, tap x C], all of it bounded, for windows that gather rows.
template <class T>
CK_TILE_FN auto weight_rows(T* data, const arguments& a, int group)
{
    const multi_index<2> lengths = {a.k, product(a.filter) * a.c};
    const std::int64_t elements  = std::int64_t(lengths[0]) * lengths[1];
    return tensor_view{data + group * elements, elements,
                       transform(packed(lengths), along<dims{0}, dims{0}>(pass_through{lengths[0]}),
                                 along<dims{1}, dims{1}>(pass_through{lengths[1]}))};
}

// One group's W as [C, tap of the class x K], the taps of class_windows().
template <int S, class T>
CK_TILE_FN auto class_weights(T* data, const arguments& a, const residue_class<S>& c, int group)
{
    const int taps                          = product(a.filter);
    const auto elements                     = std::int64_t(a.k) * taps * a.c;
    const auto filter                       = packed_strides(used<S>(a.filter)); // in taps
    int first                               = 0;
    strided<S + 2> memory                   = {}; // [C, tap..., K]
    merge<S + 1, dividers<S + 1>> reduction = {};
    memory.extents[0] = a.c, memory.strides[0] = 1;
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
    {
        reduction.extents[d]  = c.along[d].by_taps;
        memory.extents[1 + d] = c.along[d].by_taps.divisor;
        memory.strides[1 + d] = c.along[d].tap_step * filter[d] * a.c;
        first += c.along[d].first_tap * filter[d] * a.c;
    }
    reduction.extents[S]  = a.by_k;
    memory.extents[S + 1] = a.k;
    memory.strides[S + 1] = taps * a.c;
    reduction.end         = c.taps() * a.k;
    return [&]<int... d>(std::integer_sequence<int, d...>) {
        return tensor_view{data + group * elements + first, elements - first,
                           transform(memory, along<dims{0}, dims{0}>(pass_through{a.c}),
                                     along<dims{1 + d..., S + 1}, dims{1}>(reduction))};
    }(std::make_integer_sequence<int, S>{});
}

// The inputs of the class in a group's part of dX, which starts at `data`, as [image x q, C].
template <int S, class T>
CK_TILE_FN auto class_input(T* data, const arguments& a, const residue_class<S>& c, int images)
{
    int first                          = 0;
    strided<S + 2> memory              = {}; // [image, q..., C]
    merge<S + 1, dividers<S + 1>> rows = {};
    rows.extents[0]                    = undivided(images);
    memory.extents[0]                  = images;
    memory.strides[0]                  = static_cast<int>(a.in.image);
    const auto spatial = used<S>(a.in.spatial), stride = used<S>(a.stride);
    CK_TILE_UNROLL
    for(int d = 0; d < S; ++d)
    {
        rows.extents[1 + d]   = c.along[d].by_positions;
        memory.extents[1 + d] = c.along[d].by_positions.divisor;
        memory.strides[1 + d] = stride[d] * spatial[d];
        first += c.along[d].first_input * spatial[d];
    }
    memory.extents[S + 1] = a.c, memory.strides[S + 1] = a.in.channel;
    rows.end = images * c.positions();
    return [&]<int... d>(std::integer_sequence<int, d...>) {
        return tensor_view{
            data + first, images * a.in.image - first,
            transform(memory, along<dims{0, 1 + d...}, dims{0}>(rows), along<dims{S + 1}, dims{1}>(pass_through{a.c}))};
    }(std::make_integer_sequence<int, S>{});
}

} // namespace ck_tile::conv
