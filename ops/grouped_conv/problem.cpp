// SPDX-License-Identifier: MIT
// Sizes, shapes and validity of a grouped convolution.
#include "ops/grouped_conv/problem.hpp"

#include "ops/problem_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>
#include <utility>

namespace ck_tile::conv
{

namespace
{

std::int64_t product(int spatial, const extents& lengths)
{
    std::int64_t all = 1;
    for(int d = 0; d < spatial; ++d)
        all *= lengths[d];
    return all;
}

extents output_lengths(const problem& p)
{
    extents lengths{};
    for(int d = 0; d < p.spatial; ++d)
        lengths[d] = p.output(d);
    return lengths;
}

// The shape of `outer, spatial..., channels`, with the channels where the layout wants them.
tensor_shape packed(const std::vector<std::int64_t>& outer, int spatial, const extents& lengths,
                    const std::vector<std::int64_t>& channels, bool channels_last)
{
    std::vector<std::int64_t> all = outer;
    if(!channels_last)
        all.insert(all.end(), channels.begin(), channels.end());
    all.insert(all.end(), lengths.begin(), lengths.begin() + spatial);
    if(channels_last)
        all.insert(all.end(), channels.begin(), channels.end());
    return packed_shape(std::move(all));
}

// The input (channels = C) or the output (channels = K).
tensor_shape image_shape(const problem& p, const extents& lengths, std::int64_t channels)
{
    switch(p.layout)
    {
    case layout::nhwgc: return packed({p.batch}, p.spatial, lengths, {p.groups, channels}, true);
    case layout::gnhwc: return packed({p.groups, p.batch}, p.spatial, lengths, {channels}, true);
    case layout::ngchw: return packed({p.batch, p.groups}, p.spatial, lengths, {channels}, false);
    }
    return {};
}

std::string_view dimension_name(const problem& p, int d)
{
    return std::string_view("DHW").substr(static_cast<std::size_t>(max_spatial - p.spatial + d), 1);
}

status check_dimension(const problem& p, int d)
{
    struct
    {
        const char* name;
        std::int64_t value;
        std::int64_t least;
    } const numbers[] = {
        {"filter", p.filter[d], 1},     {"input", p.input[d], 1},       {"stride", p.stride[d], 1},
        {"dilation", p.dilation[d], 1}, {"left pad", p.left_pad[d], 0}, {"right pad", p.right_pad[d], 0},
    };
    for(const auto& number : numbers)
    {
        const std::string name = fmt::format("{} in dimension {}", number.name, dimension_name(p, d));
        if(status in_range = check_range(name, number.value, number.least); !in_range)
            return in_range;
    }

    const std::int64_t padded = p.input[d] + p.left_pad[d] + p.right_pad[d];
    if(p.window(d) > padded)
    {
        return rejection{fmt::format(
            "the filter must not be larger than the padded input, but in dimension {} it spans {} elements (filter {}, "
            "dilation {}) of {} (input {}, pads {} and {}): choose a smaller filter or dilation, or pad more",
            dimension_name(p, d), p.window(d), p.filter[d], p.dilation[d], padded, p.input[d], p.left_pad[d],
            p.right_pad[d])};
    }
    return {};
}

std::string by_dimension(const problem& p, const extents& numbers)
{
    return fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + p.spatial, "x"));
}

} // namespace

std::int64_t problem::input_pixels() const { return product(spatial, input); }

std::int64_t problem::output_pixels() const { return product(spatial, output_lengths(*this)); }

std::int64_t problem::filter_taps() const { return product(spatial, filter); }

double problem::flops() const
{
    return 2.0 * static_cast<double>(batch) * static_cast<double>(output_pixels()) *
           static_cast<double>(weight_shape(*this).elements());
}

double problem::floor_bytes() const
{
    const auto elements = [](const tensor_shape& shape) { return static_cast<double>(shape.elements()); };
    return bytes_of(type) *
           (elements(input_shape(*this)) + elements(output_shape(*this)) + elements(weight_shape(*this)));
}

tensor_shape input_shape(const problem& p) { return image_shape(p, p.input, p.c); }

tensor_shape output_shape(const problem& p) { return image_shape(p, output_lengths(p), p.k); }

tensor_shape weight_shape(const problem& p)
{
    return packed({p.groups, p.k}, p.spatial, p.filter, {p.c}, p.layout != layout::ngchw);
}

status validate(const problem& p)
{
    if(p.spatial < 1 || p.spatial > max_spatial)
    {
        return rejection{
            fmt::format("ndim must be 1, 2 or 3, but is {}: choose the number of spatial dimensions", p.spatial)};
    }
    struct
    {
        const char* name;
        std::int64_t value;
        std::int64_t least;
    } const counts[] = {{"G", p.groups, 1}, {"N", p.batch, 0}, {"K", p.k, 1}, {"C", p.c, 1}};
    for(const auto& count : counts)
        if(status in_range = check_range(count.name, count.value, count.least); !in_range)
            return in_range;
    for(int d = 0; d < p.spatial; ++d)
        if(status possible = check_dimension(p, d); !possible)
            return possible;

    std::vector<std::int64_t> padded = {p.batch, p.groups, p.c};
    std::vector<std::int64_t> output = {p.batch, p.groups, p.k};
    std::vector<std::int64_t> weight = {p.groups, p.k, p.c};
    for(int d = 0; d < p.spatial; ++d)
    {
        padded.push_back(p.input[d] + p.left_pad[d] + p.right_pad[d]);
        output.push_back(p.output(d));
        weight.push_back(p.filter[d]);
    }
    // With its padding, as the views that kernels see it through count the padding in.
    if(status fits = check_bytes("the padded input", padded, bytes_of(p.type)); !fits)
        return fits;
    if(status fits = check_bytes("the output", output, bytes_of(p.type)); !fits)
        return fits;
    return check_bytes("the weight tensor", weight, bytes_of(p.type));
}

problem matrix_product(data_type type)
{
    const std::int64_t side = type == data_type::fp32 ? 4096 : 8192; // without matrix instructions, a tenth as fast
    return {.spatial   = 1,
            .groups    = 1,
            .batch     = 1,
            .k         = side,
            .c         = side,
            .filter    = {1},
            .input     = {side},
            .stride    = {1},
            .dilation  = {1},
            .left_pad  = {0},
            .right_pad = {0},
            .type      = type};
}

std::string describe(const problem& p)
{
    return fmt::format("grouped_conv {}-D {} {} G{} N{} K{} C{} filter {} input {} stride {} dilation {} left pad {} "
                       "right pad {}",
                       p.spatial, name_of(p.layout), name_of(p.type), p.groups, p.batch, p.k, p.c,
                       by_dimension(p, p.filter), by_dimension(p, p.input), by_dimension(p, p.stride),
                       by_dimension(p, p.dilation), by_dimension(p, p.left_pad), by_dimension(p, p.right_pad));
}

} // namespace ck_tile::conv
