// SPDX-License-Identifier: MIT
// Which instances of depthwise kernels compute a problem, in how many blocks, and at which cost: for every direction.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/depthwise_program.hpp"
#include "ops/grouped_conv/regions.hpp"

namespace ck_tile::conv
{

// What a plan knows beside its instance: the regions, and how many blocks have shares of them for each slice of channels.
struct depthwise_schedule
{
    conv::regions regions = {};
    int slices = 0, shares = 0;

    int blocks() const { return slices * shares; }
};

// What planning asks of a configuration.
struct depthwise_instance
{
    region_limits limits;
    known_window window;
    int channels, at_once; // of a block; blocks on a compute unit

    template <direction Made>
    depthwise_instance(const depthwise_config<Made>& c)
        : limits{Made, c.patch, c.slots(), c.halo},
          window(c.window),
          channels(c.channels),
          at_once(c.blocks_at_once(facts(c.arch)))
    {
    }
};

// The images of a problem of one channel per group, as of one group that has all channels: as given, and as kernels take them, channels-last
// in whole vectors. Weights are taken as they lie.
struct depthwise_images
{
    problem given, computed;

    explicit depthwise_images(const problem& p);
};
inline constexpr tensor depthwise_copied[] = {tensor::in, tensor::out};

status depthwise_supports(const depthwise_instance& i, const problem& p);
depthwise_schedule schedule_depthwise(const device& dev, const depthwise_instance& i, const problem& p);
// In units that compare instances: see choose_splits(). `bytes` is the floor of the problem's traffic.
double depthwise_cost(const device& dev, const depthwise_instance& i, const problem& p, const depthwise_schedule& s,
                      double bytes);

// Of a kernel that makes images: all but the tensors.
depthwise_arguments depthwise_arguments_of(const depthwise_instance& i, const problem& p, const depthwise_schedule& s);

} // namespace ck_tile::conv
