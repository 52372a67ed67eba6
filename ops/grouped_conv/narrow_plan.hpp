// SPDX-License-Identifier: MIT
// Which instances of kernels of few channels per group compute a problem, in how many blocks, and at which cost: for every direction.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/narrow_program.hpp"
#include "ops/grouped_conv/regions.hpp"
#include "ops/grouped_conv/square_program.hpp"

namespace ck_tile::conv
{

// What a plan knows beside its instance: the regions, and how many blocks have shares of them for each slice of channels, and, backward weight
// of any window, for each few of its taps.
struct narrow_schedule
{
    conv::regions regions = {};
    int slices = 0, shares = 0, taps = 1;

    int blocks() const { return slices * shares * taps; }
};

// What planning asks of a configuration.
struct narrow_instance
{
    region_limits limits;
    known_window window;
    int group, channels;            // of a group, of a block
    int columns, of_thread;         // of a slice of the block; channels side by side that a thread makes
    int vector;                     // channels that one copy moves
    bool takes_multipliers, in_lds; // in_lds: operands
    bool by_matrix, by_squares;
    int planes, most_taps; // of the filter
    int row_taps, row_steps,
        row_stride; // of a filter's row as a Toeplitz matrix: at most, products, at most; 0 taps: it is none
    int at_once;    // blocks on a compute unit, of a launch

    template <direction Made>
    narrow_instance(const narrow_config<Made>& c)
        : limits{Made, c.patch, c.patches(), c.patches_at_once(), c.halo, c.of_few() ? c.taps : 1, c.row_run()},
          window(c.window),
          group(c.group),
          channels(c.channels),
          columns(c.slice_columns()),
          of_thread(Made == direction::backward_weight ? c.own() : c.rows().vecs()),
          vector(c.vector()),
          takes_multipliers(c.takes_multipliers()),
          in_lds(c.by_lds()),
          by_matrix(c.by_matrix()),
          by_squares(c.by_squares()),
          planes(c.planes),
          most_taps(c.most_taps()),
          row_taps(c.by_rows() ? c.taps : 0),
          row_steps(c.row_steps()),
          row_stride(c.row_stride()),
          at_once(c.blocks_wanted(facts(c.arch)))
    {
    }
};

// Channels of what is made that a slice of a block has, as many as see no more than the slice's columns: see channel_groups. 0: there are none.
int channels_of_slice(const narrow_instance& i, const problem& p);
channel_groups groups_of(const narrow_instance& i, const problem& p);

// The images of a problem as of one group that has all channels: as given, and as kernels take them, channels-last in whole vectors, but for X of
// which a product takes several taps. Weights are taken as they lie.
struct narrow_images
{
    problem given, computed;

    narrow_images(const narrow_instance& i, const problem& p);
};

// How far weights of a channel of Y are apart: of a tap, of a channel of X of its group.
multi_index<2> weight_strides(const problem& p);

status narrow_supports(const narrow_instance& i, const problem& p);
narrow_schedule schedule_narrow(const device& dev, const narrow_instance& i, const problem& p);
// In units that compare instances: see choose_splits(). `bytes` is the floor of the problem's traffic.
double narrow_cost(const device& dev, const narrow_instance& i, const problem& p, const narrow_schedule& s,
                   double bytes);

// A plan of an instance, but for its support kernels: schedule, workspace and cost. `bytes`: see narrow_cost(); `copied` may be copied for the
// problem that kernels compute.
template <class Plan>
Plan planned_narrow(const device& dev, Plan chosen, double bytes, std::span<const tensor> copied)
{
    const narrow_instance i = chosen.chosen->configuration;
    const auto& p           = chosen.problem;
    const narrow_images images(i, p);
    chosen.schedule      = schedule_narrow(dev, i, p);
    std::size_t partials = 0;
    if(i.limits.made == direction::backward_weight && (chosen.schedule.shares != 1 || p.batch == 0))
        partials = static_cast<std::size_t>(weights_of(p) * chosen.schedule.shares) * sizeof(float);
    chosen.workspace_bytes = copies_bytes(images.given, images.computed, copied) + partials;
    chosen.cost            = narrow_cost(dev, i, p, chosen.schedule, bytes + 2. * static_cast<double>(partials)) +
                             copies_cost(images.given, images.computed, copied);
    return chosen;
}

// Of a kernel that makes images: all but the tensors.
narrow_arguments narrow_arguments_of(const narrow_instance& i, const problem& p, const narrow_schedule& s);
// The boxes that an instance by squares copies: of what regions see, and of what they are of, the images that the arguments have.
tensor_map boxes_of_halos(const narrow_instance& i, const problem& p, const region_shape& region, const void* images);
tensor_map boxes_of_patches(const narrow_instance& i, const problem& p, const void* images);

// The launch of a plan with them, given the tensors.
template <class Plan>
launch narrow_launch(const Plan& planned, const narrow_arguments& all)
{
    const narrow_instance i = planned.chosen->configuration;
    const auto& main        = *planned.chosen->main;
    const int blocks        = planned.schedule.blocks();
    if(!i.by_squares)
        return {main, blocks, all};
    const square_arguments with_maps = {all,
                                        {boxes_of_halos(i, planned.problem, all.regions.shape, all.from),
                                         boxes_of_patches(i, planned.problem, all.to)}};
    return {main, blocks, with_maps};
}

} // namespace ck_tile::conv
