// SPDX-License-Identifier: MIT
// How images of a convolution fall into regions, on the host: see region_grid.hpp.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/region_grid.hpp"

#include <cstdint>

namespace ck_tile::conv
{

// Taps of the filter along the first of three dimensions; 1 of fewer.
std::int64_t depth_taps(const problem& p);
// The last two spatial dimensions of `e`, of which there may be one: the first one is `missing` then.
multi_index<2> last_two(const problem& p, const extents& e, int missing);
multi_index<2> output_of(const problem& p);

// Whether the problem's window in a plane is the one that a compiler knows.
bool is_known(const known_window& w, const problem& p);

// What an instance has of a region: the patch of a thread or wave, how many it has, as many as a block computes at once, or several times as many,
// and pixels of the halo in LDS.
struct region_limits
{
    direction made;
    conv::patch patch;
    int patches, at_once, halo;
    int taps    = 1; // of a row of the filter that one product takes: windows see whole products
    int row_run = 1; // pixels, of which a row of the halo is an odd number long, if they are several
};

struct regions
{
    std::int64_t planes = 0, rows = 0, cols = 0; // patches of one
    std::int64_t count = 0, halo = 0;            // of these, pixels of each

    explicit operator bool() const { return count > 0; }

    // Pixels that the instance computes for one.
    std::int64_t computed(const region_limits& l) const;
};

// Pixels that the windows of one patch see.
std::int64_t halo_of_patch(const region_limits& l, const problem& p);

// The region of as many patches as the instance has, or fewer, with which the problem takes least: blocks compute all patches that they have at
// once, and copy the halo. None, where the halo of one patch is larger than LDS holds.
regions choose_regions(const region_limits& l, const problem& p);

// The same as kernels see it.
region_grid grid_of(const region_limits& l, const problem& p, const regions& some);
// The regions themselves, as halos that are no larger.
region_shape own_pixels(const region_limits& l, const regions& some);

} // namespace ck_tile::conv
