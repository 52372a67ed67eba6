// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/boxes.hpp"

#include <fmt/format.h>

namespace ck_tile::conv
{

namespace
{
// What the copy engine has, in pixels: where windows begin, before the first one or after the last; the stride; and the last tap's distance.
constexpr int farthest_before = 128, farthest_behind = 127, longest_stride = 8, longest_reach = 255;

// The last window's begin, from the last pixel on.
int last_of(const window_range& r, int length) { return r.first + (r.positions - 1) * r.stride - (length - 1); }

tensor_map boxes_of_windows(const void* images, const image_strides& s, int channels, const multi_index<3>& lengths,
                            const arguments& a, const window_ranges& ranges, int windows)
{
    tensor_map m = {};
    m.data       = images;
    m.permuted = m.of_windows = true;
    m.next[0] = box_element_bytes, m.next[3] = s.image * box_element_bytes;
    m.lengths[0] = a.groups * channels, m.lengths[3] = a.batch;
    m.box[0] = box_elements, m.box[1] = windows, m.box[2] = m.box[3] = 1;
    for(int d = 0; d < 2; ++d)
    {
        const window_range& r = ranges[static_cast<std::size_t>(1 - d)];
        const int length      = lengths[2 - d];
        m.next[1 + d]         = std::int64_t(s.spatial[2 - d]) * box_element_bytes;
        m.lengths[1 + d]      = length;
        m.first[d]            = static_cast<std::int16_t>(r.first);
        m.last[d]             = static_cast<std::int16_t>(last_of(r, length));
        m.stride[d]           = static_cast<std::int16_t>(r.stride);
    }
    return m;
}

} // namespace

void need_whole_boxes(status& rules, const problem& q)
{
    for(const auto& [name, channels] : {std::pair{"C", q.c}, std::pair{"K", q.k}})
        if(channels % box_elements != 0)
            rules.also(rejection{fmt::format("boxes have {} channels of one tap, but {} is {}: choose an instance of "
                                             "pipeline wave_specialized",
                                             box_elements, name, channels)});
    if(q.groups > 1 && q.layout != layout::nhwgc)
        rules.also(rejection{fmt::format("boxes are of images that have all {} groups in each pixel: choose an "
                                         "instance of pipeline wave_specialized, or layout nhwgc",
                                         q.groups)});
    if(q.batch < 1)
        rules.also(rejection{"boxes are of images, but there are none: choose an instance of pipeline "
                             "wave_specialized"});
}

void need_boxes_of_windows(status& rules, const multi_index<3>& lengths, const window_ranges& ranges)
{
    for(int d = 0; d < 2; ++d)
    {
        const window_range& r = ranges[static_cast<std::size_t>(d)];
        const int last        = last_of(r, lengths[1 + d]);
        const auto need       = [&](const char* what, int least, int most, int is) {
            if(is < least || is > most)
                rules.also(rejection{fmt::format("{} must be {} to {} pixels in boxes, but is {}: choose an instance "
                                                 "of pipeline wave_specialized",
                                                 what, least, most, is)});
        };
        need("the first window's begin, from the first pixel on,", -farthest_before, farthest_behind, r.first);
        need("the last window's begin, from the last pixel on,", -farthest_before, farthest_behind, last);
        need("the stride", 1, longest_stride, r.stride);
        need("the last tap's distance from the first one", 0, longest_reach, r.reach);
    }
}

void need_boxes_of_input(status& rules, const problem& q)
{
    need_whole_boxes(rules, q);
    if(!rules)
        return;
    const arguments a = make_arguments(q);
    need_boxes_of_windows(rules, a.input, input_windows_of(a));
}

window_ranges input_windows_of(const arguments& a)
{
    window_ranges all;
    for(int d = 0; d < 2; ++d)
        all[static_cast<std::size_t>(d)] = {a.output[1 + d], -a.left_pad[1 + d], a.stride[1 + d],
                                            (a.filter[1 + d] - 1) * a.dilation[1 + d]};
    return all;
}

window_ranges windows_of_class(const residue_class<3>& c)
{
    window_ranges all;
    for(int d = 0; d < 2; ++d)
    {
        const residue& along             = c.along[1 + d];
        const int reach                  = (along.taps - 1) * along.output_step;
        all[static_cast<std::size_t>(d)] = {along.positions, along.first_output - reach, 1, reach};
    }
    return all;
}

tensor_map boxes_of_input_windows(const void* in, const arguments& a, int windows)
{
    return boxes_of_windows(in, a.in, a.c, a.input, a, input_windows_of(a), windows);
}

tensor_map boxes_of_class_windows(const void* out, const arguments& a, const residue_class<3>& c, int windows)
{
    return boxes_of_windows(out, a.out, a.k, a.output, a, windows_of_class(c), windows);
}

tensor_map boxes_of_weight_rows(const void* wei, const arguments& a, int channels)
{
    return packed_map(wei, box_element_bytes, {product(a.filter) * a.c, a.k, a.groups, 1},
                      {box_elements, channels, 1, 1}, true);
}

tensor_map boxes_of_weight_columns(const void* wei, const arguments& a, int out_channels, int in_channels)
{
    const int row = product(a.filter) * a.c;
    return strided_map(wei, box_element_bytes, {1, row, box_elements, std::int64_t(row) * a.k},
                       {box_elements, a.k, row / box_elements, a.groups},
                       {box_elements, out_channels, in_channels / box_elements, 1}, true);
}

tensor_map boxes_of_pixels(const void* images, const arguments& a, int pixels)
{
    return packed_map(images, box_element_bytes, {a.k, a.groups, a.batch * a.by_pixels.divisor, 1},
                      {box_elements, 1, pixels, 1}, true);
}

} // namespace ck_tile::conv
