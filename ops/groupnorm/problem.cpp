// SPDX-License-Identifier: MIT
// Sizes, shapes and validity of a group normalisation.
#include "ops/groupnorm/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace ck_tile::groupnorm
{

namespace
{

std::vector<std::int64_t> image_lengths(const problem& p)
{
    std::vector<std::int64_t> lengths = {p.batch};
    const auto spatial = [&] { lengths.insert(lengths.end(), p.image.begin(), p.image.begin() + p.spatial); };
    if(p.layout == layout::nhwgc)
        spatial();
    lengths.insert(lengths.end(), {p.groups, p.c});
    if(p.layout == layout::ngchw)
        spatial();
    return lengths;
}

} // namespace

std::int64_t problem::pixels() const
{
    std::int64_t all = 1;
    for(int d = 0; d < spatial; ++d)
        all *= image[static_cast<std::size_t>(d)];
    return all;
}

tensor_shape image_shape(const problem& p) { return packed_shape(image_lengths(p)); }
tensor_shape parameter_shape(const problem& p) { return packed_shape({p.groups, p.c}); }
tensor_shape statistic_shape(const problem& p) { return packed_shape({p.batch, p.groups}); }

status validate(const problem& p)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max(); // kernels hold counts in 32 bits
    if(p.spatial < 1 || p.spatial > max_spatial)
        return rejection{
            fmt::format("an image must have 1, 2 or 3 dimensions, but has {}: choose one of them", p.spatial)};
    struct
    {
        std::string name;
        std::int64_t value, least;
    } counts[3 + max_spatial] = {{"N", p.batch, 0}, {"G", p.groups, 1}, {"C", p.c, 1}};
    for(int d = 0; d < p.spatial; ++d)
        counts[3 + d] = {fmt::format("the image's length in dimension {}", "DHW"[max_spatial - p.spatial + d]),
                         p.image[static_cast<std::size_t>(d)], 1};
    for(const auto& count : counts)
    {
        if(count.value < count.least)
            return rejection{fmt::format("{} must be {}, but is {}: choose {} or more", count.name,
                                         count.least > 0 ? "positive" : "zero or positive", count.value, count.least)};
        if(count.value > largest)
            return rejection{
                fmt::format("{} must fit 32 bits, but is {}: choose {} or less", count.name, count.value, largest)};
    }
    // A length of 0 counts as 1: no partial product may overflow.
    std::int64_t bytes = bytes_of(p.type);
    for(const std::int64_t length : image_lengths(p))
        if(length > 0 && __builtin_mul_overflow(bytes, length, &bytes))
            return rejection{
                fmt::format("a tensor must have less than 2^63 bytes, but has {} elements of {} bytes: choose "
                            "smaller lengths",
                            fmt::join(image_lengths(p), " * "), bytes_of(p.type))};
    for(const auto& [name, value] : {std::pair<const char*, std::int64_t>{"pixels of an image", p.pixels()},
                                     {"channels of an image", p.channels()}})
        if(value > largest)
            return rejection{fmt::format("the {} must fit 32 bits, but are {}: choose smaller lengths", name, value)};
    return {};
}

std::string describe(const problem& p)
{
    return fmt::format("groupnorm {} {} N{} image {} G{} C{}", name_of(p.layout), name_of(p.type), p.batch,
                       fmt::join(p.image.begin(), p.image.begin() + p.spatial, "x"), p.groups, p.c);
}

} // namespace ck_tile::groupnorm
