// SPDX-License-Identifier: MIT
// The primitives of CDNA GPUs.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile::detail
{
inline constexpr int buffer_format = 0x00020000; // word 3 of a buffer's descriptor: 32-bit data
} // namespace ck_tile::detail

#include "ck_tile/targets/amdgcn/primitives.hpp"
