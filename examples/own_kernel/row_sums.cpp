// SPDX-License-Identifier: MIT
#include "row_sums.hpp"

CK_TILE_KERNELS(row_sums, own::row_sums_program) // own::row_sums_program<architecture>, compiled for each
