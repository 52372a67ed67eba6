// SPDX-License-Identifier: MIT
#include "row_sums.hpp"

CK_TILE_KERNEL(row_sums, row_sums_program)
