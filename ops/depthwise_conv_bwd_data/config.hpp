// SPDX-License-Identifier: MIT
// The configuration of one instance: see ops/grouped_conv/depthwise_config.hpp.
#pragma once

#include "ops/grouped_conv/depthwise_config.hpp"

namespace ck_tile::depthwise_conv_bwd_data
{

using config = conv::depthwise_config<conv::direction::backward_data>;

} // namespace ck_tile::depthwise_conv_bwd_data
