// SPDX-License-Identifier: MIT
// What the fp64 references of convolutions share: where taps meet the input, and an image's channels one behind the other. Shares no
// code with the tile core.
#pragma once

#include "ops/grouped_conv/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ck_tile::conv
{

inline std::int64_t rounded_up_quotient(std::int64_t a, std::int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// The outputs o of one dimension whose tap falls on the input, not into the padding; at o = 0 it falls on `origin`.
struct span
{
    std::int64_t begin;
    std::int64_t end;
    std::int64_t origin;
};

// Distances in elements; a pixel is the flat index of d, h, w.
struct tensor_strides
{
    std::int64_t n;
    std::int64_t g;
    std::int64_t pixel;
    std::int64_t channel;
};

inline tensor_strides strides_of(const problem& p, std::int64_t pixels, std::int64_t channels)
{
    switch(p.layout)
    {
    case layout::nhwgc: return {pixels * p.groups * channels, channels, p.groups * channels, 1};
    case layout::gnhwc: return {pixels * channels, p.batch * pixels * channels, channels, 1};
    case layout::ngchw: return {p.groups * channels * pixels, channels * pixels, 1, pixels};
    }
    return {};
}

// The problem in three spatial dimensions; those that it does not have are 1 long.
struct geometry
{
    extents input  = {1, 1, 1};
    extents output = {1, 1, 1};
    extents stride = {1, 1, 1};
    std::array<std::vector<span>, max_spatial> taps; // [dimension][position in the filter]

    explicit geometry(const problem& p)
    {
        for(int d = 0; d < max_spatial; ++d)
        {
            const int given = d - (max_spatial - p.spatial);
            if(given < 0)
            {
                taps[d] = {span{0, 1, 0}};
                continue;
            }
            input[d]  = p.input[given];
            output[d] = p.output(given);
            stride[d] = p.stride[given];
            for(std::int64_t tap = 0; tap < p.filter[given]; ++tap)
            {
                // 0 <= o * stride + origin < input
                const std::int64_t origin = tap * p.dilation[given] - p.left_pad[given];
                const std::int64_t begin  = std::max<std::int64_t>(0, rounded_up_quotient(-origin, stride[d]));
                const std::int64_t end    = std::min(output[d], rounded_up_quotient(input[d] - origin, stride[d]));
                taps[d].push_back({begin, end, origin});
            }
        }
    }
};

// Copies `count` channels of all pixels of one image to a block of as many as `block`; the rest of the block is zero.
inline void pack(std::vector<double>& packed, const float* image, const tensor_strides& strides, std::int64_t pixels,
                 std::int64_t count, std::int64_t block)
{
    packed.assign(pixels * block, 0.0);
    for(std::int64_t pixel = 0; pixel < pixels; ++pixel)
        for(std::int64_t channel = 0; channel < count; ++channel)
            packed[pixel * block + channel] = image[pixel * strides.pixel + channel * strides.channel];
}

inline void make_absolute(std::vector<double>& values)
{
    for(double& value : values)
        value = std::abs(value);
}

} // namespace ck_tile::conv
