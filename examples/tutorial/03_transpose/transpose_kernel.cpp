// SPDX-License-Identifier: MIT
#include "transpose_kernel.hpp"

CK_TILE_KERNELS(tutorial_transpose, tutorial::transpose_program)
