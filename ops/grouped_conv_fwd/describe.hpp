// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ops/grouped_conv/describe.hpp"
#include "ops/grouped_conv_fwd/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::grouped_conv_fwd::config, arch, spatial, tile, rows, vector);
