// SPDX-License-Identifier: MIT
// The kernel of the tutorial's matrix product: compiled for the CPU, and for gfx942 into a code object.
#include "examples/tutorial/gemm_kernel.hpp"

CK_TILE_KERNEL(tutorial_gemm, tutorial::gemm_program)
