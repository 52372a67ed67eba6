// SPDX-License-Identifier: MIT
#include "gemm_bias_activation_kernel.hpp"

CK_TILE_KERNELS(tutorial_gemm_bias_activation, tutorial::linear_program)
