// SPDX-License-Identifier: MIT
// Boost.Hana's description of what the configurations of convolutions share.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/grouped_conv/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::conv::vector_widths, out, in, wei);
