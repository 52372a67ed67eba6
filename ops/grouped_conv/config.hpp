// SPDX-License-Identifier: MIT
// What the configurations of all convolutions have.
#pragma once

#include "ck_tile/gemm/tile_config.hpp"

namespace ck_tile::conv
{

// Elements that one access moves: of Y or dY, of X or dX, of W or dW.
struct vector_widths
{
    int out, in, wei;
};

// What is legal for an implicit GEMM, of any direction; `t` are the facts of its architecture. `spatial`: dimensions of the convolution, 1
// to 3, where problems of fewer run with lengths of 1 in front; or 0, a pointwise one of channels-first images: filter and stride are 1,
// there are no pads, and pixels are one dimension.
constexpr violation check_convolution(int spatial, const gemm::tile_config& tile, const target& t,
                                      const gemm::operand_access& access)
{
    if(spatial < 0 || spatial > 3)
        return {"spatial dimensions must be 1, 2 or 3, or 0 of pointwise convolutions", spatial, "choose one of them"};
    if(const int blocks = describe(tile.instruction).blocks; blocks != 1)
        return {"an implicit GEMM needs an instruction of one block", blocks, "choose one with blocks = 1"};
    if(const violation v = gemm::check(tile, t, access))
        return v;
    if(gemm::is_persistent(tile.pipeline) && tile.epilogue == gemm::epilogue::through_lds)
        return {"a block that makes many tiles has the operands of the next one in LDS while it stores one",
                name_of(tile.epilogue), "use by_wave or direct"};
    return {};
}

} // namespace ck_tile::conv
