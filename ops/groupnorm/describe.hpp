// SPDX-License-Identifier: MIT
// Boost.Hana's description of the configuration: what names, JSON, printouts and the generator know of it.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/groupnorm/config.hpp"

BOOST_HANA_ADAPT_STRUCT(ck_tile::groupnorm::config, arch, dtype, dense, pass, vector, waves, steps, units);

template <>
struct ck_tile::reflect::enumerators<ck_tile::groupnorm::innermost>
{
    static constexpr std::string_view type = "groupnorm::innermost";
    static std::vector<enumerator<groupnorm::innermost>> all()
    {
        using enum groupnorm::innermost;
        return {{channels, "channels"}, {spatial, "spatial"}};
    }
};

template <>
struct ck_tile::reflect::enumerators<ck_tile::groupnorm::pass>
{
    static constexpr std::string_view type = "groupnorm::pass";
    static std::vector<enumerator<groupnorm::pass>> all()
    {
        using enum groupnorm::pass;
        return {{whole, "whole"}, {sums, "sums"}, {apply, "apply"}};
    }
};
