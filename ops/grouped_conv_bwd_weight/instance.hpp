// SPDX-License-Identifier: MIT
// The instances that the build generates from tile_engine_configs/grouped_conv_bwd_weight/.
#pragma once

#include "ck_tile/targets/kernel.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"

#include <span>

namespace ck_tile::grouped_conv_bwd_weight
{

struct instance
{
    config configuration;
    const kernel* main;
};

// The kernels that every instance of an architecture and type shares.
struct support_kernels
{
    architecture arch;
    data_type type;
    const kernel* finish;
    const kernel* reference;
};

std::span<const instance> all_instances();
std::span<const support_kernels> all_support_kernels();

} // namespace ck_tile::grouped_conv_bwd_weight
