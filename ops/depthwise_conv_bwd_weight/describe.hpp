// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ops/depthwise_conv_bwd_weight/config.hpp"
#include "ops/grouped_conv/describe_depthwise.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::depthwise_conv_bwd_weight::config, arch, type, channels, waves, window, patch, halo,
                        stages);
