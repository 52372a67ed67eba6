// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/avgpool_fwd/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::avgpool_fwd::config, arch, dtype, layout, rows, lanes, vector, threads);
