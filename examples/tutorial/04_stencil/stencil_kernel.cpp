// SPDX-License-Identifier: MIT
#include "stencil_kernel.hpp"

CK_TILE_KERNELS(tutorial_stencil, tutorial::stencil_program)
