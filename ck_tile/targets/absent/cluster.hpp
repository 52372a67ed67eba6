// SPDX-License-Identifier: MIT
// Where every block has one compute unit, or is run by a loop over its units: their LDS lies side by side, nobody waits.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

template <int Units>
CK_TILE_FN int own_unit()
{
    return 0;
}

template <class T>
CK_TILE_FN T* lds_of_unit(T* own, int unit, int unit_bytes)
{
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(own) + unit * unit_bytes);
}

CK_TILE_FN void sync_units() {}
CK_TILE_FN void arrive_at_units() {}
CK_TILE_FN void wait_for_units() {}

} // namespace ck_tile
