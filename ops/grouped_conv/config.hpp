// SPDX-License-Identifier: MIT
// What the configurations of all convolutions have.
#pragma once

#include "ck_tile/gemm/tile_config.hpp"

namespace ck_tile::conv
{

// What the rows of an implicit GEMM are, of forward and backward data; its columns are the other. Pixels that are columns are more than an
// instruction's rows: then fewer channels fill a tile.
enum class gemm_rows
{
    pixels,
    channels
};

} // namespace ck_tile::conv

template <>
struct ck_tile::enumerators<ck_tile::conv::gemm_rows>
{
    using enum conv::gemm_rows;
    static constexpr const char* type                  = "conv::gemm_rows";
    static constexpr enumerator<conv::gemm_rows> all[] = {{pixels, "pixels"}, {channels, "channels"}};
};

namespace ck_tile::conv
{

// The operand of tiles.windows(coord) and tiles.weights(coord) that has the rows, and the one that has the columns.
template <gemm_rows Rows>
CK_TILE_FN auto operand_of_rows(const auto& tiles, const auto& coord)
{
    if constexpr(Rows == gemm_rows::pixels)
        return tiles.windows(coord);
    else
        return tiles.weights(coord);
}
template <gemm_rows Rows>
CK_TILE_FN auto operand_of_columns(const auto& tiles, const auto& coord)
{
    return operand_of_rows<Rows == gemm_rows::pixels ? gemm_rows::channels : gemm_rows::pixels>(tiles, coord);
}

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
    if(gemm::takes_boxes(tile.pipeline) && (spatial < 1 || spatial > 2))
        return {"boxes of windows have one or two dimensions", spatial, "use 1 or 2, or pipeline wave_specialized"};
    return {};
}

// And for forward and backward data.
constexpr violation check_rows(int spatial, gemm_rows rows, const gemm::tile_config& tile)
{
    if(spatial == 0 && rows != gemm_rows::channels)
        return {"a pointwise instance has pixels as columns", name_of(rows), "use channels as rows"};
    if(spatial > 0 && rows == gemm_rows::channels && tile.epilogue != gemm::epilogue::by_wave)
        return {"channels as rows are stored transposed, which by_wave does alone", name_of(tile.epilogue),
                "use by_wave, or pixels as rows"};
    return {};
}

} // namespace ck_tile::conv
