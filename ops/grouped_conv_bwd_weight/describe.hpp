// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/grouped_conv/describe.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::grouped_conv_bwd_weight::vector_widths, out, in, wei);
BOOST_HANA_ADAPT_STRUCT(ck_tile::grouped_conv_bwd_weight::config, arch, spatial, dense, tile, split, vector);

template <>
struct ck_tile::reflect::enumerators<ck_tile::grouped_conv_bwd_weight::split_k>
{
    static constexpr std::string_view type = "split_k";
    static std::vector<enumerator<grouped_conv_bwd_weight::split_k>> all()
    {
        using enum grouped_conv_bwd_weight::split_k;
        return {{any_split, "any_split"}, {one_split, "one_split"}};
    }
};
