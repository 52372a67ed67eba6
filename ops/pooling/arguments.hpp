// SPDX-License-Identifier: MIT
// What kernels of all poolings are told of a problem.
#pragma once

#include "ck_tile/core/multi_index.hpp"

namespace ck_tile::pooling
{

struct window_arguments
{
    int batch, channels;
    multi_index<2> input, output, window, stride, dilation, left_pad;
};

} // namespace ck_tile::pooling
