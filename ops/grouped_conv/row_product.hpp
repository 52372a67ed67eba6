// SPDX-License-Identifier: MIT
// What depthwise convolutions by rows of the filter have in common, that make images (toeplitz.hpp) or weights (hankel.hpp): channels are planes in
// LDS, of rows of pixels, of which lanes read neighbours.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/matrix.hpp"

namespace ck_tile::conv::row_product
{

// Pixels of a row that a thread copies, and neighbours along k that a lane reads at once.
inline constexpr int run = 4;

// Pixels, of which a row in LDS has an odd number, so that lanes that read different rows meet different banks.
constexpr int row_run(const matrix_instruction& i) { return i.n == 8 ? 2 * run : run; }

// Neighbours in LDS, so many at once, to a register of an operand.
template <class Element, int Elements, int AtOnce, class Registers>
CK_TILE_FN void load(Registers& to, const Element* from)
{
    static_assert(Elements % AtOnce == 0);
    constexpr int bytes = AtOnce * int(sizeof(Element));
    register_for<Elements / AtOnce>([&](auto i) {
        check_lds_read(from + i * AtOnce, bytes);
        __builtin_memcpy(reinterpret_cast<Element*>(&to) + i * AtOnce,
                         __builtin_assume_aligned(from + i * AtOnce, bytes), bytes);
    });
}

} // namespace ck_tile::conv::row_product
