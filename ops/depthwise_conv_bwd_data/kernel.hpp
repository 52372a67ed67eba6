// SPDX-License-Identifier: MIT
// Depthwise convolution, backward data: see ops/grouped_conv/depthwise_program.hpp.
#pragma once

#include "ops/depthwise_conv_bwd_data/config.hpp"
#include "ops/grouped_conv/depthwise_program.hpp"

namespace ck_tile::depthwise_conv_bwd_data
{

using arguments = conv::depthwise_arguments;

template <config C>
using program = conv::depthwise_program<C>;

} // namespace ck_tile::depthwise_conv_bwd_data
