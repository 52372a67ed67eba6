// SPDX-License-Identifier: MIT
// The kernel of the tutorial's matrix product, which ck_tile_add_kernel() compiles for each architecture.
#include "gemm_kernel.hpp"

CK_TILE_KERNELS(tutorial_gemm, tutorial::gemm_program)
