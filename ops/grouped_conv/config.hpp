// SPDX-License-Identifier: MIT
// What the configurations of all convolutions have.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ck_tile/gemm/tile_config.hpp"

namespace ck_tile::conv
{

// Elements that one access moves: of Y or dY, of X or dX, of W or dW.
struct vector_widths
{
    int out, in, wei;
};

// The rules that are the convolution's, not the matrix product's.
constexpr violation check_convolution(int spatial, const gemm::tile_config& tile)
{
    if(spatial < 1 || spatial > 3)
        return {"spatial dimensions must be 1, 2 or 3", spatial, "choose one of them"};
    if(const int blocks = describe(tile.instruction).blocks; blocks != 1)
        return {"an implicit GEMM needs an instruction of one block", blocks, "choose one with blocks = 1"};
    return {};
}

// And those of a lookup window's table, for the reduction.
constexpr violation check_table(const gemm::tile_config& tile, const lookup_table& table)
{
    const int threads = tile.threads();
    if(table.positions % threads != 0 && threads % table.positions != 0)
        return {"the threads must share the positions of a lookup table evenly", table.positions,
                "use a power of two of waves"};
    if(tile.stages - 2 > table.positions / tile.block.k)
        return {"no more steps may be copied ahead than a lookup table tells", tile.stages,
                "use fewer stages or a smaller block.k"};
    return {};
}

} // namespace ck_tile::conv
