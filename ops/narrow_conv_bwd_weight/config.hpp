// SPDX-License-Identifier: MIT
// The configuration of one instance: see ops/grouped_conv/narrow_config.hpp.
#pragma once

#include "ops/grouped_conv/narrow_config.hpp"

namespace ck_tile::narrow_conv_bwd_weight
{

using config = conv::narrow_config<conv::direction::backward_weight>;

} // namespace ck_tile::narrow_conv_bwd_weight
