// SPDX-License-Identifier: MIT
// The names of what configurations of convolutions have in common.
#pragma once

#include "ck_tile/reflect/enumerators.hpp"
#include "ops/grouped_conv/arguments.hpp"

template <>
struct ck_tile::reflect::enumerators<ck_tile::conv::innermost>
{
    static constexpr std::string_view type = "conv::innermost";
    static std::vector<enumerator<conv::innermost>> all()
    {
        using enum conv::innermost;
        return {{channels, "channels"}, {spatial, "spatial"}};
    }
};
