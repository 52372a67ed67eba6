// SPDX-License-Identifier: MIT
// The small kernels beside the main one.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
#include "ops/narrow_conv_bwd_data/kernel.hpp"

namespace ck_tile::narrow_conv_bwd_data
{

template <architecture Arch, data_type Type>
using repack_program = conv::repack_program<Arch, Type>;

template <architecture Arch, data_type Type>
using reference_program = conv::reference_program<Arch, Type, conv::backward_data_reference>;

} // namespace ck_tile::narrow_conv_bwd_data
