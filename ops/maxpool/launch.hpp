// SPDX-License-Identifier: MIT
// What the host sides of both passes share: numbers for the kernels, and the limits of a view and of a launch.
#pragma once

#include "ops/maxpool/problem.hpp"
#include "ops/operation.hpp"

#include <algorithm>
#include <limits>

namespace ck_tile::maxpool
{

inline multi_index<2> index_of(const extents& e) { return {static_cast<int>(e[0]), static_cast<int>(e[1])}; }
inline multi_index<2> output_of(const problem& p) { return index_of({p.output(0), p.output(1)}); }

// Sets what the kernels of both passes are told of a problem.
void set_problem(auto& arguments, const problem& p)
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

// Rejects images that 32-bit offsets do not span; `index_bytes` is the size of a stored index.
inline status check_image(const problem& p, int index_bytes)
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
template <class Config>
status check_kind(const Config& c, const problem& p)
{
    status rules;
    if(c.layout != p.layout)
        rules.also(
            rejection{fmt::format("the instance has layout {}, the problem {}", name_of(c.layout), name_of(p.layout))});
    if(p.channels % c.vector != 0)
        rules.also(
            rejection{fmt::format("C = {} is not a multiple of the vector width {}: choose an instance with a narrower "
                                  "vector, or pad the channels",
                                  p.channels, c.vector)});
    return rules;
}

} // namespace ck_tile::maxpool
