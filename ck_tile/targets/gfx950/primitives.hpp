// SPDX-License-Identifier: MIT
// The primitives of gfx950: those of CDNA, and an instruction that rounds to bf16.
#pragma once

#include "ck_tile/targets/amdgcn/cdna.hpp"

namespace ck_tile
{

inline constexpr bool rounds_to_bf16 = true; // v_cvt_pk_bf16_f32

} // namespace ck_tile
