// SPDX-License-Identifier: MIT
// Sizes, shapes and validity of a pooling.
#include "ops/pooling/problem.hpp"

#include "ck_tile/core/multi_index.hpp"
#include "ops/problem_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::pooling
{

namespace
{

tensor_shape shape_of(const problem& p, std::int64_t height, std::int64_t width)
{
    return p.layout == layout::nhwc ? packed_shape({p.batch, height, width, p.channels})
                                    : packed_shape({p.batch, p.channels, height, width});
}

// The first window, in dimension d, without an element of the input; or -1. Those that begin in the input have one. Those
// that begin before it have one if their elements do not step over it, which takes a dilation beyond the input's length.
std::int64_t empty_window(const problem& p, int d)
{
    const std::int64_t last = p.output(d) - 1, input = p.input[d];
    for(std::int64_t o = 0; o <= last && o * p.stride[d] < p.left_pad[d]; ++o)
    {
        const std::int64_t before = p.left_pad[d] - o * p.stride[d];
        const std::int64_t first  = ceil_div(before, p.dilation[d]); // element at or after the input's first
        if(first >= p.window[d] || first * p.dilation[d] - before >= input)
            return o;
        if(p.dilation[d] <= input) // the next windows begin further right, and cannot step over the input
            break;
    }
    // Windows come in order: if the last one begins beyond the input, the first that does is the one to tell.
    const std::int64_t beyond = ceil_div(input + p.left_pad[d], p.stride[d]);
    return beyond <= last ? beyond : -1;
}

status check_dimension(const problem& p, int d)
{
    const char* dimension = d == 0 ? "H" : "W";
    struct
    {
        const char* name;
        std::int64_t value;
        std::int64_t least;
    } const numbers[] = {
        {"window", p.window[d], 1},     {"input", p.input[d], 1},       {"stride", p.stride[d], 1},
        {"dilation", p.dilation[d], 1}, {"left pad", p.left_pad[d], 0}, {"right pad", p.right_pad[d], 0},
    };
    for(const auto& number : numbers)
        if(status in_range =
               check_range(fmt::format("{} in dimension {}", number.name, dimension), number.value, number.least);
           !in_range)
            return in_range;

    const std::int64_t padded = p.input[d] + p.left_pad[d] + p.right_pad[d]; // kernels count these in 32 bits
    if(status in_range = check_range(fmt::format("input and pads in dimension {}", dimension), padded, 1); !in_range)
        return in_range;
    if(p.span(d) > padded)
        return rejection{fmt::format(
            "the window must not be larger than the padded input, but in dimension {} it spans "
            "{} elements (window {}, dilation {}) of {} (input {}, pads {} and {}): choose a "
            "smaller window or dilation, or pad more",
            dimension, p.span(d), p.window[d], p.dilation[d], padded, p.input[d], p.left_pad[d], p.right_pad[d])};
    if(const std::int64_t o = empty_window(p, d); o >= 0)
        return rejection{fmt::format("every window must hold an element of the input, but in dimension {} window {} "
                                     "(window {}, dilation {}, from {} on) has none of the {} there are: pad less",
                                     dimension, o, p.window[d], p.dilation[d], o * p.stride[d] - p.left_pad[d],
                                     p.input[d])};
    return {};
}

} // namespace

std::int64_t problem::output(int d) const
{
    const std::int64_t room = input[d] + left_pad[d] + right_pad[d] - span(d);
    std::int64_t windows    = (ceil_mode ? ceil_div(room, stride[d]) : room / stride[d]) + 1;
    if(ceil_mode && (windows - 1) * stride[d] >= input[d] + left_pad[d])
        --windows;
    return windows;
}

double problem::tensor_bytes() const
{
    return static_cast<double>(batch * channels * (input_pixels() + output_pixels())) * bytes_of(type);
}

tensor_shape input_shape(const problem& p) { return shape_of(p, p.input[0], p.input[1]); }

tensor_shape output_shape(const problem& p) { return shape_of(p, p.output(0), p.output(1)); }

status validate_windows(const problem& p)
{
    if(status in_range = check_range("N", p.batch, 0); !in_range)
        return in_range;
    if(status in_range = check_range("C", p.channels, 1); !in_range)
        return in_range;
    for(int d = 0; d < 2; ++d)
        if(status possible = check_dimension(p, d); !possible)
            return possible;
    return {};
}

status validate_sizes(const problem& p, int index_bytes)
{
    if(p.input_pixels() > largest_number)
        return rejection{fmt::format(
            "the pixels of an image must be counted in 32 bits, but are {}: choose a smaller input", p.input_pixels())};
    // The bytes are those of elements or of indices, whichever are more.
    const int bytes = std::max(bytes_of(p.type), index_bytes);
    if(status fits = check_bytes("the input", {p.batch, p.channels, p.input[0], p.input[1]}, bytes); !fits)
        return fits;
    return check_bytes("the output", {p.batch, p.channels, p.output(0), p.output(1)}, bytes);
}

std::string describe_sizes(const problem& p, bool dilated)
{
    const auto pair = [](const extents& e) { return fmt::format("{}x{}", e[0], e[1]); };
    return fmt::format("N{} C{} window {} input {} stride {}{} left pad {} right pad {}{}", p.batch, p.channels,
                       pair(p.window), pair(p.input), pair(p.stride), dilated ? " dilation " + pair(p.dilation) : "",
                       pair(p.left_pad), pair(p.right_pad), p.ceil_mode ? " ceil" : "");
}

} // namespace ck_tile::pooling
