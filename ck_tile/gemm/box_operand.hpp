// SPDX-License-Identifier: MIT
// Operands that the copy engine brings to LDS, in boxes of a tensor in memory: a thread of each wave asks for some, see box_copy.hpp. For pipelines
// whose waves have roles, and instructions that take operands from LDS.
#pragma once

#include "ck_tile/core/distribution.hpp"
#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/targets/tensor_map.hpp"

namespace ck_tile::gemm
{

// Of [rows, k], at `origin`. A box is as long as a panel of LDS along the contiguous dimension, the one that D has vectors of, and has all
// lines that a step has along the other one. Panels that begin at row `rows` or behind it are not copied: LDS keeps what is there, of which nobody may
// want a product.
//   At::all_panels            whether a box has all panels of a tile, or one
//   at.line(i)                what boxes have in common that begin at number i of the dimension that is not contiguous
//   at(of_line, i, panel)     where in the tensor the box is that begins there and at number i of the other one, of boxes of windows a tap_coord;
//                             which panel of the tile it is of. What does not exist there is zero
template <class T, distribution D, class At>
struct box_operand
{
    using element                        = T;
    static constexpr distribution layout = D;

    const tensor_map* map;
    int rows;
    At at;
    multi_index<2> origin;

    template <int Dim>
    CK_TILE_FN int step(int by) const
    {
        static_assert(Dim == 1, "box_operand: a main loop moves along k");
        return by;
    }
    CK_TILE_FN void move(int by) { origin[1] += by; }
};

template <class T, distribution D, class At>
CK_TILE_FN box_operand<T, D, At> make_box_operand(const tensor_map& map, int rows, const multi_index<2>& origin,
                                                  const At& at)
{
    return {&map, rows, at, origin};
}

template <class Operand>
inline constexpr bool comes_in_boxes = false;
template <class T, distribution D, class At>
inline constexpr bool comes_in_boxes<box_operand<T, D, At>> = true;

// Asks for what load() of another operand would give: box(to, map, coord, bytes) for each box.
template <class T, distribution D, class At, auto Layout>
CK_TILE_FN void copy_boxes(const box_operand<T, D, At>& from, const lds_tile<T, Layout>& to, const auto& box)
{
    constexpr int contiguous = D.vector_dim(), panel = Layout.panel, lines = Layout.lines(),
                  panels = Layout.elements() / (lines * panel), boxes = At::all_panels ? 1 : panels,
                  elements = Layout.elements() / boxes, bytes = elements * int(sizeof(T));
    static_assert(Layout.contiguous == contiguous, "copy_boxes: what is contiguous in memory is so in LDS");
    const auto of_line = from.at.line(from.origin[1 - contiguous]);
    CK_TILE_UNROLL
    for(int p = 0; p < boxes; ++p)
    {
        const int begin = from.origin[contiguous] + p * panel, row = contiguous == 0 ? begin : from.origin[0];
        auto* const here = to.data + p * elements;
        if(row < from.rows)
            box(here, *from.map, from.at(of_line, begin, p), bytes);
        else
            box.leave(here, bytes);
    }
}

} // namespace ck_tile::gemm
