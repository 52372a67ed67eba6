// SPDX-License-Identifier: MIT
// The names of what configurations of both passes choose from.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/maxpool/kinds.hpp"

template <>
struct ck_tile::reflect::enumerators<ck_tile::maxpool::indices>
{
    static constexpr std::string_view type = "maxpool::indices";
    static std::vector<enumerator<maxpool::indices>> all()
    {
        using enum maxpool::indices;
        return {{u8, "u8"}, {int32, "int32"}, {int64, "int64"}, {recompute, "recompute"}};
    }
};

template <>
struct ck_tile::reflect::enumerators<ck_tile::maxpool::layout>
{
    static constexpr std::string_view type = "maxpool::layout";
    static std::vector<enumerator<maxpool::layout>> all()
    {
        using enum maxpool::layout;
        return {{nhwc, "nhwc"}, {nchw, "nchw"}};
    }
};
