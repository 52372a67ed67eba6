// SPDX-License-Identifier: MIT
// Boost.Hana's description of what the configurations of depthwise convolutions share.
#pragma once

#include "ops/grouped_conv/describe.hpp"
#include "ops/grouped_conv/narrow_config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::conv::known_window, rows, cols, stride);
BOOST_HANA_ADAPT_STRUCT(ck_tile::conv::patch, rows, cols);
