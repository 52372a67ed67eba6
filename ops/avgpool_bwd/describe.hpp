// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/avgpool_bwd/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::avgpool_bwd::config, arch, dtype, layout, window, stride, left_pad, rows, cols, vector,
                        threads);
