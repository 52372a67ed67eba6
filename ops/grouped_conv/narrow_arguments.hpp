// SPDX-License-Identifier: MIT
// What kernels of few channels per group that make images are given.
#pragma once

#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/channel_groups.hpp"
#include "ops/grouped_conv/halo_window.hpp"
#include "ops/grouped_conv/region_grid.hpp"

namespace ck_tile::conv
{

struct narrow_arguments
{
    const void* from;
    const void* wei;      // [channels of Y][taps, channels of X of the group], as wei_strides say
    const void* bias;     // [channels]; null: none
    const void* residual; // as what is made; null: none
    void* to;
    conv::activation activation;
    int channels; // of Y that there are weights of: images may have more
    channel_groups groups;
    multi_index<2> wei_strides; // of a tap, of a channel of X of the group
    image_lines from_lines, to_lines;
    region_grid regions;
    divider slices; // of channels
    int shares;     // of regions
};

} // namespace ck_tile::conv
