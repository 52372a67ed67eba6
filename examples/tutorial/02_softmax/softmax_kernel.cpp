// SPDX-License-Identifier: MIT
#include "softmax_kernel.hpp"

CK_TILE_KERNELS(tutorial_softmax, tutorial::softmax_program)
