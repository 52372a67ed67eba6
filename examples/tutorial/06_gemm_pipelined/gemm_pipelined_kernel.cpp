// SPDX-License-Identifier: MIT
#include "gemm_pipelined_kernel.hpp"

CK_TILE_KERNELS(tutorial_gemm_pipelined, tutorial::gemm_program)
