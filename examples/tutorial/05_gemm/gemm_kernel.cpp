// SPDX-License-Identifier: MIT
#include "gemm_kernel.hpp"

CK_TILE_KERNELS(tutorial_gemm, tutorial::small_gemm_program)
