// SPDX-License-Identifier: MIT
// The layouts of a pooling's tensors: what a problem and the configuration of a kernel both name.
#pragma once

#include "ck_tile/numeric/choices.hpp"

namespace ck_tile::pooling
{

// Memory order of the tensors, slowest dimension first.
enum class layout
{
    nhwc,
    nchw
};

} // namespace ck_tile::pooling

template <>
struct ck_tile::enumerators<ck_tile::pooling::layout>
{
    using enum pooling::layout;
    static constexpr const char* type                  = "pooling::layout";
    static constexpr enumerator<pooling::layout> all[] = {{nhwc, "nhwc"}, {nchw, "nchw"}};
};
