// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/regions.hpp"

#include <algorithm>

namespace ck_tile::conv
{
namespace
{

// What the problem is along a dimension of a region.
struct dimension
{
    std::int64_t length, filter, stride, dilation, pad; // length: of what is made
    std::int64_t taps = 1;                              // of one product
    int run           = 1;                              // see region_limits
};

dimension dimension_of(const region_limits& l, const problem& p, int d)
{
    const bool input = l.made == direction::backward_data;
    return {(input ? last_two(p, p.input, 1) : output_of(p))[d],
            last_two(p, p.filter, 1)[d],
            last_two(p, p.stride, static_cast<int>(p.stride[0]))[d],
            last_two(p, p.dilation, 1)[d],
            last_two(p, p.left_pad, 0)[d],
            d == 1 ? l.taps : 1,
            d == 1 ? l.row_run : 1};
}

// The first pixel of the first region, which begins a window; of dX it may be before the image.
std::int64_t first_pixel(const region_limits& l, const dimension& along)
{
    return l.made == direction::backward_data ? -(along.pad % along.stride) : 0;
}
std::int64_t patches_along(const region_limits& l, const dimension& along, int patch)
{
    return ceil_div(along.length - first_pixel(l, along), std::int64_t(patch));
}
// So many pixels as rows of halos are long: an odd number of runs, if they are several pixels.
std::int64_t whole_runs(int run, std::int64_t pixels)
{
    return run == 1 ? pixels : (ceil_div(pixels, std::int64_t(run)) | 1) * run;
}
// No more than what no halo has, which more pixels than halo_window counts are.
std::int64_t halo_along(const region_limits& l, const dimension& along, std::int64_t patches, int patch)
{
    constexpr std::int64_t most = 1023, beyond = 1 << 20;
    const std::int64_t taps  = ceil_div(along.filter, along.taps) * along.taps;
    const std::int64_t seen  = lines_seen(l.made, patches * patch, (taps - 1) * along.dilation + 1, along.stride);
    const std::int64_t whole = whole_runs(along.run, seen);
    return whole <= most ? whole : beyond;
}
// The dimension across planes, depth; or, of fewer than three dimensions, the images, which see one each.
dimension across_planes(const region_limits& l, const problem& p)
{
    if(p.spatial < 3)
        return {p.batch, 1, 1, 1, 0};
    return {l.made == direction::backward_data ? p.input[0] : p.output(0), p.filter[0], p.stride[0], p.dilation[0],
            p.left_pad[0]};
}
std::int64_t halo_planes(const region_limits& l, const dimension& z, std::int64_t planes)
{
    // Backward weight, of one plane of the filter.
    return l.made == direction::backward_weight ? (planes - 1) * z.stride + 1 : halo_along(l, z, planes, 1);
}
int halo_between(const region_limits& l, const dimension& along, int patch)
{
    return static_cast<int>(l.made == direction::backward_data ? patch / along.stride : patch * along.stride);
}

} // namespace

std::int64_t depth_taps(const problem& p) { return p.spatial < 3 ? 1 : p.filter[0]; }
multi_index<2> last_two(const problem& p, const extents& e, int missing)
{
    const auto at = [&](int d) { return static_cast<int>(e[static_cast<std::size_t>(p.spatial - 2 + d)]); };
    return {p.spatial < 2 ? missing : at(0), at(1)};
}
multi_index<2> output_of(const problem& p)
{
    const auto at = [&](int d) { return static_cast<int>(p.output(p.spatial - 2 + d)); };
    return {p.spatial < 2 ? 1 : at(0), at(1)};
}

bool is_known(const known_window& w, const problem& p)
{
    return last_two(p, p.filter, 1) == multi_index<2>{w.rows, w.cols} &&
           last_two(p, p.stride, w.stride) == multi_index<2>{w.stride, w.stride} &&
           last_two(p, p.dilation, 1) == multi_index<2>{1, 1};
}

std::int64_t halo_of_patch(const region_limits& l, const problem& p)
{
    return halo_planes(l, across_planes(l, p), 1) * halo_along(l, dimension_of(l, p, 0), 1, l.patch.rows) *
           halo_along(l, dimension_of(l, p, 1), 1, l.patch.cols);
}

std::int64_t regions::computed(const region_limits& l) const
{
    return ceil_div(planes * rows * cols, std::int64_t(l.at_once)) * l.at_once * l.patch.pixels();
}

regions choose_regions(const region_limits& l, const problem& p)
{
    constexpr double copied = 0.25; // pixels of the halo count so much of a computed one
    const dimension z = across_planes(l, p), y = dimension_of(l, p, 0), x = dimension_of(l, p, 1);
    const std::int64_t rows = patches_along(l, y, l.patch.rows), cols = patches_along(l, x, l.patch.cols),
                       images = p.spatial < 3 ? 1 : p.batch;
    regions best;
    double least = 0;
    for(std::int64_t across = 1; across <= std::min<std::int64_t>(cols, l.patches); ++across)
        for(std::int64_t down = 1; down <= std::min(rows, l.patches / across); ++down)
        {
            // Several planes pay where they are whole, or share what they see.
            const std::int64_t halo = halo_along(l, y, down, l.patch.rows) * halo_along(l, x, across, l.patch.cols);
            const bool several      = z.filter > 1 || (down == rows && across == cols);
            const std::int64_t most =
                std::max<std::int64_t>(several ? std::min(l.patches / (across * down), z.length) : 1, 1);
            // Of a filter of one plane, as many as fit, which see one each.
            const std::int64_t first =
                z.filter > 1 ? 1 : std::clamp<std::int64_t>((l.halo / halo - 1) / z.stride + 1, 1, most);
            for(std::int64_t planes = first; planes <= most && halo * halo_planes(l, z, planes) <= l.halo; ++planes)
            {
                const regions some = {planes, down, across,
                                      images * ceil_div(z.length, planes) * ceil_div(rows, down) *
                                          ceil_div(cols, across),
                                      halo * halo_planes(l, z, planes)};
                const double cost  = static_cast<double>(some.count) *
                                     (static_cast<double>(some.computed(l)) + copied * static_cast<double>(some.halo));
                if(best.planes == 0 || cost < least)
                    best = some, least = cost;
            }
        }
    return best;
}

region_grid grid_of(const region_limits& l, const problem& p, const regions& some)
{
    region_grid g       = {};
    region_shape& s     = g.shape;
    const dimension z   = across_planes(l, p);
    s.planes            = static_cast<int>(some.planes);
    s.halo_planes       = static_cast<int>(halo_planes(l, z, some.planes));
    s.depth             = {static_cast<int>(z.filter), static_cast<int>(z.stride), static_cast<int>(z.dilation)};
    const int patches[] = {static_cast<int>(some.rows), static_cast<int>(some.cols)};
    const int lengths[] = {l.patch.rows, l.patch.cols};
    int halo[2], regions[2];
    for(int d = 0; d < 2; ++d)
    {
        const dimension along = dimension_of(l, p, d);
        halo[d]               = static_cast<int>(halo_along(l, along, patches[d], lengths[d]));
        regions[d]       = static_cast<int>(ceil_div(patches_along(l, along, lengths[d]), std::int64_t(patches[d])));
        s.next[d]        = halo_between(l, along, lengths[d]);
        s.window[d]      = static_cast<int>(along.filter);
        s.stride[d]      = static_cast<int>(along.stride);
        s.dilation[d]    = static_cast<int>(along.dilation);
        g.patch[d]       = lengths[d];
        g.first_pixel[d] = static_cast<int>(first_pixel(l, along));
        g.first_halo[d] =
            static_cast<int>(l.made == direction::backward_data
                                 ? along.pad / along.stride - (along.filter - 1) * along.dilation / along.stride
                                 : -along.pad);
    }
    s.rows = patches[0], s.cols = patches[1];
    s.halo_rows = halo[0], s.halo_cols = halo[1];
    s.next_plane      = static_cast<int>(z.stride) * halo[0];
    const auto across = ceil_div(z.length, some.planes), images = p.spatial < 3 ? 1 : p.batch;
    g.order         = {{{static_cast<int>(images * across), regions[0], regions[1]}}};
    g.across_planes = static_cast<int>(across);
    g.made_planes   = static_cast<int>(z.length);
    g.seen_planes   = static_cast<int>(p.spatial < 3                        ? p.batch
                                       : l.made == direction::backward_data ? p.output(0)
                                                                            : p.input[0]);
    g.first_plane = static_cast<int>(l.made == direction::backward_data ? z.pad - (z.filter - 1) * z.dilation : -z.pad);
    return g;
}

region_shape own_pixels(const region_limits& l, const regions& some)
{
    region_shape s = {};
    s.planes = s.halo_planes = static_cast<int>(some.planes);
    s.depth                  = {1, 1, 1};
    s.rows = static_cast<int>(some.rows), s.cols = static_cast<int>(some.cols);
    s.halo_rows  = s.rows.divisor * l.patch.rows;
    s.halo_cols  = static_cast<int>(whole_runs(l.row_run, std::int64_t(s.cols.divisor) * l.patch.cols));
    s.next       = {l.patch.rows, l.patch.cols};
    s.next_plane = s.halo_rows.divisor;
    s.window = s.stride = s.dilation = {1, 1};
    return s;
}

} // namespace ck_tile::conv
