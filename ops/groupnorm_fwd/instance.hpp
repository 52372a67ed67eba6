// SPDX-License-Identifier: MIT
// The instances that the build generates from tile_engine_configs/groupnorm_fwd/.
#pragma once

#include "ck_tile/targets/kernel.hpp"
#include "ops/groupnorm/config.hpp"

#include <span>

namespace ck_tile::groupnorm_fwd
{

using groupnorm::config;
using groupnorm::innermost;
using groupnorm::pass;

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

} // namespace ck_tile::groupnorm_fwd
