// SPDX-License-Identifier: MIT
// From the problem as users state it to the kernels' arguments.
#include "ops/grouped_conv/arguments.hpp"

#include "ops/grouped_conv/problem.hpp"

namespace ck_tile::conv
{
namespace
{

// The three spatial dimensions of the kernels: those in front that the problem does not have get `missing`.
multi_index<3> aligned_right(const extents& e, int spatial, int missing)
{
    multi_index<3> all = {missing, missing, missing};
    for(int d = 0; d < spatial; ++d)
        all[3 - spatial + d] = static_cast<int>(e[static_cast<std::size_t>(d)]);
    return all;
}

extents output_extents(const problem& p)
{
    extents o = {};
    for(int d = 0; d < p.spatial; ++d)
        o[static_cast<std::size_t>(d)] = p.output(d);
    return o;
}

image_strides strides_of(const problem& p, std::int64_t channels, std::int64_t pixels, const multi_index<3>& lengths)
{
    image_strides s = {};
    int pixel       = 1;
    switch(p.layout)
    {
    case layout::nhwgc:
        s     = {channels, pixels * p.groups * channels, {}, 1};
        pixel = static_cast<int>(p.groups * channels);
        break;
    case layout::gnhwc:
        s     = {p.batch * pixels * channels, pixels * channels, {}, 1};
        pixel = static_cast<int>(channels);
        break;
    case layout::ngchw: s = {channels * pixels, p.groups * channels * pixels, {}, static_cast<int>(pixels)}; break;
    }
    for(int d = 2; d >= 0; pixel *= lengths[d--])
        s.spatial[d] = pixel;
    return s;
}

} // namespace

arguments make_arguments(const problem& p)
{
    arguments a = {};
    a.groups = static_cast<int>(p.groups), a.batch = static_cast<int>(p.batch);
    a.k = static_cast<int>(p.k), a.c = static_cast<int>(p.c);
    a.filter    = aligned_right(p.filter, p.spatial, 1);
    a.input     = aligned_right(p.input, p.spatial, 1);
    a.output    = aligned_right(output_extents(p), p.spatial, 1);
    a.stride    = aligned_right(p.stride, p.spatial, 1);
    a.dilation  = aligned_right(p.dilation, p.spatial, 1);
    a.left_pad  = aligned_right(p.left_pad, p.spatial, 0);
    a.right_pad = aligned_right(p.right_pad, p.spatial, 0);
    a.in        = strides_of(p, p.c, p.input_pixels(), a.input);
    a.out       = strides_of(p, p.k, p.output_pixels(), a.output);
    for(int d = 0; d < 3; ++d)
        a.by_filter[d] = a.filter[d], a.by_output[d] = a.output[d];
    a.by_k = a.k, a.by_c = a.c, a.by_pixels = product(a.output);
    return a;
}

} // namespace ck_tile::conv
