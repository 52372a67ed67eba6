// SPDX-License-Identifier: MIT
// The matrix instructions of gfx942: MFMA.
#pragma once

#include "ck_tile/targets/amdgcn/cdna_matrix.hpp"
