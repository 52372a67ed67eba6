// SPDX-License-Identifier: MIT
// The matrix instructions of gfx90a: MFMA.
#pragma once

#include "ck_tile/targets/amdgcn/cdna_matrix.hpp"
