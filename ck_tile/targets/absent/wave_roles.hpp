// SPDX-License-Identifier: MIT
// Where all waves of a block do the same: no barrier of some, nor registers that change hands.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

inline constexpr bool has_wave_roles = false;

template <int Waves, int Lanes>
CK_TILE_FN void sync_waves()
{
}

template <int Now, int Before>
CK_TILE_FN void use_registers()
{
}

} // namespace ck_tile
