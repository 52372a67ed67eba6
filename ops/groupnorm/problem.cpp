// SPDX-License-Identifier: MIT
// Sizes, shapes and validity of a group normalisation.
#include "ops/groupnorm/problem.hpp"

#include "ops/problem_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
        if(status in_range = check_range(count.name, count.value, count.least); !in_range)
            return in_range;
    if(status fits = check_bytes("a tensor", image_lengths(p), bytes_of(p.type)); !fits)
        return fits;
    for(const auto& [name, value] : {std::pair<const char*, std::int64_t>{"pixels of an image", p.pixels()},
                                     {"channels of an image", p.channels()}})
        if(value > largest_number)
            return rejection{fmt::format("the {} must fit 32 bits, but are {}: choose smaller lengths", name, value)};
    return {};
}

std::string describe(const problem& p)
{
    return fmt::format("groupnorm {} {} N{} image {} G{} C{}", name_of(p.layout), name_of(p.type), p.batch,
                       fmt::join(p.image.begin(), p.image.begin() + p.spatial, "x"), p.groups, p.c);
}

} // namespace ck_tile::groupnorm
