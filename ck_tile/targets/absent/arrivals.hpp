// SPDX-License-Identifier: MIT
// Where no pipeline has tiles that blocks share.
#pragma once

#include "ck_tile/targets/execution.hpp"

namespace ck_tile
{

template <int Waves>
CK_TILE_FN unsigned arrive_in_memory(unsigned*)
{
    static_assert(Waves != Waves, "arrive_in_memory: pipelines of this architecture make whole tiles");
    return 0;
}

} // namespace ck_tile
