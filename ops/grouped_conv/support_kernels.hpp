// SPDX-License-Identifier: MIT
// The small kernels beside the main ones of convolutions: copies of tensors, the ordered sum of partials, and the references.
#pragma once

#include "ops/grouped_conv/reference_kernel.hpp"
#include "ops/grouped_conv/repack.hpp"
#include "ops/grouped_conv/sum.hpp"

namespace ck_tile::grouped_conv
{

using conv::repack_program;

template <architecture Arch, data_type Type>
using sum_program = conv::sum_program<Arch, Type>;

template <architecture Arch, data_type Type>
using forward_reference_program = conv::reference_program<Arch, Type, conv::forward_reference>;
template <architecture Arch, data_type Type>
using backward_data_reference_program = conv::reference_program<Arch, Type, conv::backward_data_reference>;
template <architecture Arch, data_type Type>
using backward_weight_reference_program = conv::reference_program<Arch, Type, conv::backward_weight_reference>;

} // namespace ck_tile::grouped_conv
