// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ops/grouped_conv/describe_narrow.hpp"
#include "ops/narrow_conv_fwd/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::narrow_conv_fwd::config, arch, type, group, channels, waves, window, patch, halo,
                        stages, planes, taps, operands);
