// SPDX-License-Identifier: MIT
#include "attention_kernel.hpp"

CK_TILE_KERNELS(tutorial_attention, tutorial::attention_program)
