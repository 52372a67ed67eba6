// SPDX-License-Identifier: MIT
#include "copy_kernel.hpp"

CK_TILE_KERNELS(tutorial_copy, tutorial::copy_program)
