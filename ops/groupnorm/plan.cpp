// SPDX-License-Identifier: MIT
#include "ops/groupnorm/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace ck_tile::groupnorm
{
namespace
{

constexpr std::int64_t range_bytes = std::numeric_limits<std::int32_t>::max(); // that one view can span
constexpr std::int64_t max_blocks  = std::numeric_limits<std::int32_t>::max(); // of one launch
constexpr double launch_bytes      = 96e3; // that a compute unit could have moved while a kernel starts and ends
constexpr double wave_bytes        = 500;  // while a wave adds up its sums
constexpr double exchange_bytes    = 16e3; // while the workgroups of a cluster exchange theirs
constexpr int sector_bytes         = 32;   // that memory moves at least

geometry sizes_of(const problem& p)
{
    geometry g  = {};
    g.batch     = static_cast<int>(p.batch);
    g.pixels    = static_cast<int>(p.pixels());
    g.groups    = static_cast<int>(p.groups);
    g.per_group = divider(static_cast<int>(p.c));
    g.channels  = static_cast<int>(p.channels());
    return g;
}

std::int64_t slabs_of(const geometry& g) { return std::int64_t(g.batch) * g.spans.divisor * g.chunks.divisor; }

// Blocks that a compute unit holds at the same time, and a device.
int blocks_per_compute_unit(const config& c)
{
    return std::max(1, facts(c.arch).compute_unit_registers / (c.threads() * c.registers()));
}
std::int64_t blocks_at_once(const config& c, int compute_units)
{
    return std::max<std::int64_t>(1, std::int64_t(blocks_per_compute_unit(c)) * compute_units / c.cluster);
}

// Sets span and part of a geometry, and what follows from them.
void set_slabs(geometry& g, const config& c, std::int64_t span, std::int64_t chunk, std::int64_t tiles)
{
    g.span   = static_cast<int>(span);
    g.chunk  = static_cast<int>(std::min<std::int64_t>(chunk, g.pixels));
    g.spans  = divider(static_cast<int>(ceil_div(g.channels, g.span)));
    g.chunks = divider(static_cast<int>(ceil_div(g.pixels, g.chunk)));
    g.rows   = c.columns() / g.span;
    // The last part of a channel may be shorter than the others; a part holds no second channel.
    g.vectors = divider((c.dense == innermost::channels ? g.span : g.chunk) / c.vector);
    g.tiles   = static_cast<int>(tiles);
}

// Where few blocks share a compute unit, memory idles while they compute: they prefetch for those that come somewhat before a
// whole round of blocks later.
void set_prefetch(geometry& g, const config& c, int compute_units)
{
    const std::int64_t image   = std::int64_t(g.pixels) * g.channels / c.vector;
    const std::int64_t round   = blocks_at_once(c, compute_units);
    const std::int64_t nothing = slabs_of(g);
    g.share = static_cast<int>(ceil_div(image, std::int64_t(g.spans.divisor) * c.cluster)) * c.vector;
    g.ahead = static_cast<int>(blocks_per_compute_unit(c) <= 2 ? std::min(ceil_div(round * 3, std::int64_t(4)), nothing)
                                                               : nothing);
}

// Bytes of a run of memory, as memory moves them: whole sectors, in which runs begin anywhere.
double moved_bytes(std::int64_t run)
{
    const std::int64_t common = std::gcd(run, std::int64_t(sector_bytes));
    return static_cast<double>(run - common) + sector_bytes;
}

double cost_of(const geometry& g, const config& c, const problem& p, int compute_units, int tensors)
{
    const std::int64_t bytes = bytes_of(p.type), pixels = std::min(g.chunk, g.pixels);
    const std::int64_t run = c.dense == innermost::channels ? g.span * bytes : g.span * pixels * bytes;
    // The caches keep for neighbouring blocks half of what is moved in vain.
    const double moved        = (moved_bytes(run) + static_cast<double>(run)) / 2;
    const double slab         = moved * static_cast<double>(c.dense == innermost::channels ? pixels : 1);
    const std::int64_t rounds = ceil_div(slabs_of(g) * c.cluster, compute_units);
    const double block        = wave_bytes * c.waves + (c.cluster > 1 ? exchange_bytes : 0);
    // Narrow vectors move as many bytes with more instructions.
    const double width = 1 + 0.25 * (16.0 / (c.vector * static_cast<double>(bytes)) - 1);
    return launch_bytes + static_cast<double>(rounds) * (slab / c.cluster * tensors * width + block);
}

// Whether a slab of `span` channels and `pixels` pixels finds room in a workgroup's LDS and in the tiles of a block.
bool fits(const config& c, std::int64_t span, std::int64_t pixels)
{
    if(span > c.max_channels())
        return false;
    return c.dense == innermost::channels ||
           span * (pixels / c.vector) <= std::int64_t(c.cluster) * c.steps * c.threads();
}

// Whole groups: the number of them per slab that costs least.
std::optional<cut> cut_whole(const config& c, const problem& p, int compute_units, int tensors)
{
    std::optional<cut> best;
    for(std::int64_t groups = 1; groups <= p.groups && fits(c, groups * p.c, p.pixels()); ++groups)
    {
        if(c.dense == innermost::channels && groups * p.c % c.vector != 0)
            continue;
        geometry g = sizes_of(p);
        set_slabs(g, c, groups * p.c, p.pixels(), 1);
        if(c.dense == innermost::channels && ceil_div(g.pixels, g.rows) > c.cluster * c.steps)
            continue;
        const double cost = cost_of(g, c, p, compute_units, tensors);
        if(!best || cost < best->cost)
            best = cut{g, cost};
    }
    return best;
}

// Streaming: as many channels as fit, and so many tiles of pixels that the device runs all blocks at the same time.
cut cut_streaming(const config& c, const problem& p, int compute_units, int tensors, bool several_tiles)
{
    geometry g        = sizes_of(p);
    std::int64_t span = 1, tile_pixels = 0; // that a tile of the span holds
    if(c.dense == innermost::channels)
    {
        const std::int64_t most  = c.max_channels() / c.vector * c.vector;
        const std::int64_t spans = ceil_div(g.channels, most);
        span                     = ceil_div(ceil_div(g.channels, spans), c.vector) * c.vector;
        tile_pixels              = c.columns() / span * c.steps;
    }
    else
    {
        const std::int64_t room = std::int64_t(c.steps) * c.threads(); // vectors
        while(span < g.channels && fits(c, span + 1, g.pixels))
            ++span;
        tile_pixels = span > 1 ? g.pixels : room * c.vector;
    }
    // So many tiles per block that the rounds of blocks, each of which takes about one tile's time beside, take least.
    const std::int64_t at_once   = blocks_at_once(c, compute_units);
    const std::int64_t all_tiles = ceil_div(g.pixels, tile_pixels);
    const std::int64_t across    = std::max<std::int64_t>(g.batch * ceil_div(g.channels, span), 1);
    const auto time              = [&](std::int64_t tiles) {
        return ceil_div(across * ceil_div(all_tiles, tiles), at_once) * (tiles + 1);
    };
    std::int64_t tiles = 1;
    for(std::int64_t more = 2; several_tiles && more <= std::min<std::int64_t>(all_tiles, 256); ++more)
        if(time(more) < time(tiles))
            tiles = more;
    set_slabs(g, c, span, tiles * tile_pixels, tiles);
    return {g, cost_of(g, c, p, compute_units, tensors)};
}

// Rejects an instance made for another layout, or for wider vectors than the run of elements allows.
status check_kind(const config& c, const problem& p)
{
    // Images of one pixel lie alike in both layouts.
    const bool channels = p.layout == layout::nhwgc;
    status rules;
    if(channels != (c.dense == innermost::channels))
        rules.also(
            rejection{fmt::format("layout {} has its {} innermost, the instance wants the {} there", name_of(p.layout),
                                  channels ? "channels" : "pixels", channels ? "pixels" : "channels")});
    const std::int64_t run = channels ? p.channels() : p.pixels();
    if(run % c.vector != 0)
        rules.also(rejection{
            fmt::format("the {} of an image = {} are not a multiple of the vector width {}: choose an instance "
                        "with a narrower vector, or pad",
                        channels ? "channels" : "pixels", run, c.vector)});
    return rules;
}

} // namespace

result<cut> cut_into_slabs(const config& c, const problem& p, int compute_units, int tensors, bool several_tiles)
{
    if(status s = validate(p); !s)
        return s;
    if(status s = check_kind(c, p); !s)
        return s;
    const bool channels     = p.layout == layout::nhwgc;
    std::optional<cut> made = c.pass == pass::whole ? cut_whole(c, p, compute_units, tensors)
                                                    : cut_streaming(c, p, compute_units, tensors, several_tiles);
    if(!made)
        return rejection{
            fmt::format("a group of {} pixels x {} channels does not fit the {} elements that a block of the "
                        "instance holds: choose one of a larger cluster, more steps or waves, or a streaming pass",
                        p.pixels(), p.c, std::int64_t(c.cluster) * c.steps * c.columns())};
    const geometry& g = made->slabs;
    const std::int64_t rows =
        channels ? std::int64_t(c.cluster) * c.steps * g.tiles * g.rows * p.channels() : std::int64_t(g.span) * g.chunk;
    if(rows * bytes_of(p.type) > range_bytes)
        return rejection{
            fmt::format("the pixels that a block works on span {} bytes of all channels, more than the {} that a "
                        "view can: choose an instance of fewer steps, or fewer channels",
                        rows * bytes_of(p.type), range_bytes)};
    if(slabs_of(g) * c.cluster > max_blocks || std::int64_t(g.batch) * g.chunks.divisor > max_blocks ||
       std::int64_t(g.chunks.divisor) * p.c > max_blocks)
        return rejection{
            fmt::format("{} slabs are more than the {} blocks of a launch: split the batch", slabs_of(g), max_blocks)};
    if(c.pass == pass::whole)
        set_prefetch(made->slabs, c, compute_units);
    return *made;
}

} // namespace ck_tile::groupnorm
