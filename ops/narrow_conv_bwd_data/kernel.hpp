// SPDX-License-Identifier: MIT
// Depthwise convolution, backward data: see ops/grouped_conv/narrow_program.hpp and square_program.hpp.
#pragma once

#include "ops/grouped_conv/narrow_program.hpp"
#include "ops/grouped_conv/square_program.hpp"
#include "ops/narrow_conv_bwd_data/config.hpp"

namespace ck_tile::narrow_conv_bwd_data
{

using arguments = conv::narrow_arguments;

template <config C>
using program = std::conditional_t<C.by_squares(), conv::square_program<C>, conv::narrow_program<C>>;

} // namespace ck_tile::narrow_conv_bwd_data
