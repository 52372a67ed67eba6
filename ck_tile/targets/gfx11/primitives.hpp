// SPDX-License-Identifier: MIT
// The primitives of gfx11: those of AMD's GPUs.
#pragma once

#include "ck_tile/targets/absent/rounding.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile::detail
{
inline constexpr int buffer_format =
    0x31004000; // word 3 of a buffer's descriptor: 32-bit data, bounds checked by offset
} // namespace ck_tile::detail

#include "ck_tile/targets/amdgcn/primitives.hpp"
