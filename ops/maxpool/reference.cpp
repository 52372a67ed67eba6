// SPDX-License-Identifier: MIT
// The references: threads take planes.
#include "ops/maxpool/reference.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/pooling/planes.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ck_tile::maxpool
{

using namespace pooling;
using maxpool::problem;

namespace
{

// The output pixel of an element of the output, which the layout places.
std::int64_t output_pixel(const problem& p, std::int64_t element)
{
    const std::int64_t pixels = p.output_pixels();
    return p.layout == layout::nhwc ? element / p.channels % pixels : element % pixels;
}

} // namespace

maxima reference_maxima(const problem& p, const std::vector<float>& in)
{
    const std::int64_t height = p.output(0), width = p.output(1);
    const auto elements = static_cast<std::size_t>(output_shape(p).elements());
    maxima found{std::vector<float>(elements), std::vector<std::int64_t>(elements)};
    each_plane(p, [&](std::int64_t n) {
        const plane from = plane_of(p, n, p.input_pixels()), to = plane_of(p, n, height * width);
        for(std::int64_t oh = 0; oh < height; ++oh)
            for(std::int64_t ow = 0; ow < width; ++ow)
            {
                std::int64_t best = -1;
                float largest     = 0;
                for(std::int64_t y = 0; y < p.window[0]; ++y)
                    for(std::int64_t x = 0; x < p.window[1]; ++x)
                    {
                        const std::int64_t pixel = pixel_of(p, oh, ow, y, x);
                        if(pixel < 0)
                            continue;
                        const float value = in[from.at(pixel)];
                        if(best < 0 || value > largest || std::isnan(value))
                            best = pixel, largest = value;
                    }
                found.values[to.at(oh * width + ow)]  = largest;
                found.indices[to.at(oh * width + ow)] = best;
            }
    });
    return found;
}

reference_values reference_backward(const problem& p, const std::vector<float>& out,
                                    const std::vector<std::int64_t>& indices)
{
    const std::int64_t pixels = p.output_pixels();
    reference_values result(input_shape(p).elements());
    each_plane(p, [&](std::int64_t n) {
        const plane from = plane_of(p, n, pixels), to = plane_of(p, n, p.input_pixels());
        for(std::int64_t pixel = 0; pixel < pixels; ++pixel)
        {
            const double term     = out[from.at(pixel)];
            const std::size_t hit = to.at(indices[from.at(pixel)]);
            result.values[hit] += term;
            result.magnitudes[hit] += std::abs(term);
        }
    });
    return result;
}

std::vector<std::byte> encode_indices(const problem& p, const std::vector<std::int64_t>& flat)
{
    std::vector<std::int64_t> stored = flat;
    if(p.indices == indices::u8)
        for(std::size_t i = 0; i < flat.size(); ++i)
        {
            const std::int64_t pixel = output_pixel(p, static_cast<std::int64_t>(i)), oh = pixel / p.output(1),
                               ow = pixel % p.output(1);
            const std::int64_t y  = (flat[i] / p.input[1] - oh * p.stride[0] + p.left_pad[0]) / p.dilation[0];
            const std::int64_t x  = (flat[i] % p.input[1] - ow * p.stride[1] + p.left_pad[1]) / p.dilation[1];
            stored[i]             = y * p.window[1] + x;
        }
    return encode_integers(type_of(p.indices), stored);
}

std::vector<std::int64_t> decode_indices(const problem& p, std::span<const std::byte> stored)
{
    std::vector<std::int64_t> flat = decode_integers(type_of(p.indices), stored);
    if(p.indices == indices::u8)
        for(std::size_t i = 0; i < flat.size(); ++i)
        {
            const std::int64_t pixel = output_pixel(p, static_cast<std::int64_t>(i)), number = flat[i];
            flat[i] = pixel_of(p, pixel / p.output(1), pixel % p.output(1), number / p.window[1], number % p.window[1]);
        }
    return flat;
}

status check_indices(const problem& p, const std::vector<std::int64_t>& flat)
{
    for(std::size_t i = 0; i < flat.size(); ++i)
    {
        const std::int64_t pixel     = output_pixel(p, static_cast<std::int64_t>(i));
        const std::int64_t coord[2]  = {flat[i] / p.input[1], flat[i] % p.input[1]};
        const std::int64_t window[2] = {pixel / p.output(1), pixel % p.output(1)};
        bool inside                  = flat[i] >= 0 && flat[i] < p.input_pixels();
        for(std::size_t d = 0; d < 2; ++d)
        {
            const std::int64_t from = coord[d] - window[d] * p.stride[d] + p.left_pad[d];
            inside = inside && from >= 0 && from < p.span(static_cast<int>(d)) && from % p.dilation[d] == 0;
        }
        if(!inside)
            return rejection{
                fmt::format("every index must be an element of its window in the input, but element {} is not "
                            "({} as a flat index): take the indices of the forward pass of this problem",
                            i, flat[i])};
    }
    return {};
}

} // namespace ck_tile::maxpool
