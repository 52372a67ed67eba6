// SPDX-License-Identifier: MIT
// What the references of all poolings share, which share nothing with the tile core: planes, one channel of one image each, and where
// elements of windows lie in them.
#pragma once

#include "ops/pooling/problem.hpp"
#include "ops/reference.hpp"

#include <cstddef>
#include <cstdint>

namespace ck_tile::pooling
{

// Where the elements of a plane lie in a tensor of `pixels` per plane.
struct plane
{
    std::int64_t begin, stride;
    std::size_t at(std::int64_t pixel) const { return static_cast<std::size_t>(begin + pixel * stride); }
};

inline plane plane_of(const problem& p, std::int64_t number, std::int64_t pixels)
{
    const std::int64_t image = number / p.channels, channel = number % p.channels;
    return p.layout == layout::nhwc ? plane{image * pixels * p.channels + channel, p.channels}
                                    : plane{number * pixels, 1};
}

// work(plane number) for every plane, on all cores.
template <class Work>
void each_plane(const problem& p, const Work& work)
{
    on_all_cores(p.batch * p.channels, work);
}

// The pixel of the input that element (y, x) of window (oh, ow) is, or -1 in the padding.
inline std::int64_t pixel_of(const problem& p, std::int64_t oh, std::int64_t ow, std::int64_t y, std::int64_t x)
{
    const std::int64_t h = oh * p.stride[0] - p.left_pad[0] + y * p.dilation[0];
    const std::int64_t w = ow * p.stride[1] - p.left_pad[1] + x * p.dilation[1];
    return h < 0 || h >= p.input[0] || w < 0 || w >= p.input[1] ? -1 : h * p.input[1] + w;
}

} // namespace ck_tile::pooling
