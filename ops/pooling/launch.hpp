// SPDX-License-Identifier: MIT
// What the host sides of all poolings share: numbers for the kernels, and the limits of a view and of a launch.
#pragma once

#include "ops/operation.hpp"
#include "ops/pooling/arguments.hpp"
#include "ops/pooling/patch_shape.hpp"
#include "ops/pooling/problem.hpp"

#include <algorithm>
#include <limits>

namespace ck_tile::pooling
{

inline multi_index<2> index_of(const extents& e) { return {static_cast<int>(e[0]), static_cast<int>(e[1])}; }
inline multi_index<2> output_of(const problem& p) { return index_of({p.output(0), p.output(1)}); }

// Sets what all kernels are told of a problem.
inline void set_problem(window_arguments& arguments, const problem& p)
{
    arguments.batch    = static_cast<int>(p.batch);
    arguments.channels = static_cast<int>(p.channels);
    arguments.input    = index_of(p.input);
    arguments.output   = output_of(p);
    arguments.window   = index_of(p.window);
    arguments.stride   = index_of(p.stride);
    arguments.dilation = index_of(p.dilation);
    arguments.left_pad = index_of(p.left_pad);
}

// At most how many windows reach any patch of so many elements, in dimension d. Where patches are whole strides, or one, all begin alike.
inline std::int64_t windows_over(const problem& p, std::size_t d, std::int64_t patch)
{
    const auto number = static_cast<int>(d);
    std::int64_t most = (patch - 1 + p.span(number) - 1) / p.stride[d] + 1;
    if(patch % p.stride[d] == 0 || patch >= p.input[d])
    {
        const auto floor = [&](std::int64_t n) { return n >= 0 ? n / p.stride[d] : -ceil_div(-n, p.stride[d]); };
        most             = floor(patch - 1 + p.left_pad[d]) - floor(p.left_pad[d] - p.span(number));
    }
    return std::min(most, p.output(number));
}

// Rejects images that 32-bit offsets do not span; `index_bytes`: of an index that is stored for each element of the output, if one is.
inline status check_image(const problem& p, int index_bytes = 0)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t in       = p.input_pixels() * p.channels * ck_tile::bytes_of(p.type);
    const std::int64_t out      = p.output_pixels() * p.channels * std::max(ck_tile::bytes_of(p.type), index_bytes);
    if(std::max(in, out) > most)
        return rejection{
            fmt::format("one image spans {} bytes, more than the {} that a view can: split the channels over "
                        "several calls",
                        std::max(in, out), most)};
    return {};
}

// Rejects more blocks than a launch can have.
inline status check_blocks(std::int64_t blocks_per_image, std::int64_t batch)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if(blocks_per_image > most / std::max<std::int64_t>(batch, 1))
        return rejection{
            fmt::format("{} images of {} blocks are more than the {} blocks of a launch: split the batch over "
                        "several calls",
                        batch, blocks_per_image, most)};
    return {};
}

// Rejects an instance made for another layout, or for wider vectors than the channels allow.
inline status check_kind(layout order, int vector, const problem& p)
{
    status rules;
    if(order != p.layout)
        rules.also(
            rejection{fmt::format("the instance has layout {}, the problem {}", name_of(order), name_of(p.layout))});
    if(p.channels % vector != 0)
        rules.also(
            rejection{fmt::format("C = {} is not a multiple of the vector width {}: choose an instance with a narrower "
                                  "vector, or pad the channels",
                                  p.channels, vector)});
    return rules;
}

// Success, or why what is made for one window is not for this one.
inline status check_window(const patch_shape& s, const problem& p)
{
    for(std::size_t d = 0; d < 2; ++d)
        if(p.window[d] != s.window || p.stride[d] != s.stride || p.left_pad[d] != s.left_pad ||
           (p.dilation[d] != 1 && s.window > 1))
            return rejection{fmt::format("the instance is for windows of {0}x{0} with stride {1}, left pad {2} and no "
                                         "dilation, in {3} the problem has {4}, {5}, {6} and dilation {7}",
                                         s.window, s.stride, s.left_pad, d == 0 ? "H" : "W", p.window[d], p.stride[d],
                                         p.left_pad[d], p.dilation[d])};
    if(p.output(1) % s.read_run() != 0)
        return rejection{
            fmt::format("Wo = {} is not a multiple of the vector width {}: choose an instance with vector 1",
                        p.output(1), s.read_run())};
    if(p.input[1] % s.write_run() != 0)
        return rejection{
            fmt::format("Wi = {} is not a multiple of the vector width {}: choose an instance with vector 1",
                        p.input[1], s.write_run())};
    return {};
}

} // namespace ck_tile::pooling
