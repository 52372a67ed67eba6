// SPDX-License-Identifier: MIT
// Convolutions of few channels per group drawn for an instance, for the tests of all directions.
#pragma once

#include "ops/grouped_conv/narrow_config.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "tests/support/convolutions.hpp"

namespace ck_tile::conv
{

// Of the instance's window in a plane: channels that end in the middle of a slice, and of a vector; images of a part of a region, of several, of
// less than a window.
template <direction Made>
problem random_narrow_problem(const narrow_config<Made>& c, random_numbers& random)
{
    const bool any     = c.window.any();
    const bool several = c.by_squares() && c.group > 1; // channels of a group, as many on both sides
    const int of_group = c.group_slices() > 1                      ? c.group
                         : several                                 ? c.group >> random.between(0, c.group == 8 ? 2 : 3)
                         : c.by_lds() && random.between(0, 1) != 0 ? 8 * random.between(1, c.channels / 8)
                         : c.by_matrix()                           ? 1 << random.between(any ? 0 : 1, 4)
                                                                   : 1;
    // Every other one has several times as many channels on one side: of operands in LDS that is what is made.
    const int more =
                  c.group_slices() > 1 || several || random.between(0, 1) ? 1 : random.between(2, c.by_lds() ? 4 : 5),
              side   = c.by_lds() ? Made == direction::backward_data : random.between(0, 1);
    const int planes = c.deep() ? random.between(1, c.planes < 3 ? c.planes : 3) : 1; // of the filter
    problem p        = {.spatial = planes > 1           ? 3
                                   : c.window.rows <= 1 ? random.between(1, 2)
                                                        : 2,
                        .groups  = of_group > 1           ? random.between(1, 2 * c.channels / of_group + 1)
                                   : random.between(0, 1) ? random.between(1, 2 * c.channels + 1)
                                                          : 8 * random.between(1, 10),
                        .batch   = random.between(0, 11) == 0 ? 0 : random.between(1, 4),
                        .k       = of_group * (side == 0 ? more : 1),
                        .c       = of_group * (side == 1 ? more : 1),
                        .type    = c.dtype(),
                        .layout  = random.between(0, 3) == 0 ? layout::ngchw : layout::nhwgc};
    if(c.of_few())
        p.groups = 1, p.c = random.between(1, c.halo_channels()), p.k = random.between(1, 2 * c.channels + 1);
    for(int i = 0; i < p.spatial; ++i)
    {
        const auto d     = static_cast<std::size_t>(i);
        const bool depth = p.spatial == 3 && i == 0;
        p.filter[d]      = depth               ? planes
                           : any               ? random.between(1, c.group_slices() > 1 ? 3 : 5)
                           : i + 1 < p.spatial ? c.window.rows
                                               : c.window.cols;
        p.stride[d] =
            depth  ? (Made == direction::backward_data ? 1 : random.between(1, 3))
            : !any ? c.window.stride
            : (c.by_matrix() && Made == direction::backward_data) || (c.by_rows() && Made != direction::forward) ? 1
            : c.by_rows() && i + 1 == p.spatial ? random.between(1, c.row_stride())
                                                : random.between(1, 3);
        // Of weights, by products of several taps: see narrow_supports().
        if(Made == direction::backward_weight && any && c.of_few() && c.taps > 2 && i + 1 == p.spatial)
            p.stride[d] *= c.taps / 2;
        p.dilation[d] = (any || depth) && (!c.of_few() || i + 1 < p.spatial) ? random.between(1, 2) : 1;
        if(c.by_rows() && i + 1 == p.spatial) // a row that its matrix holds: see narrow_supports()
        {
            const int longest = c.taps - (tap_product::channels - 1) * (static_cast<int>(p.stride[d]) - 1);
            p.filter[d] =
                random.between(1, c.makes_weights() ? c.taps : (longest - 1) / static_cast<int>(p.dilation[d]) + 1);
        }
        p.left_pad[d]  = random.between(0, 4);
        p.right_pad[d] = random.between(0, 4);
        p.input[d]     = random.between(1, depth ? 9 : p.spatial == 1 ? 150 : 24);
        make_room(p, d);
    }
    return p;
}

} // namespace ck_tile::conv
