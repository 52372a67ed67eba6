// SPDX-License-Identifier: MIT
// The primitives of gfx90a: those of CDNA.
#pragma once

#include "ck_tile/targets/absent/rounding.hpp"
#include "ck_tile/targets/amdgcn/cdna.hpp"
