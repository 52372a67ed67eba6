// SPDX-License-Identifier: MIT
// Operands [m, k] of a matrix product that lie in LDS across: column k where the program says, its rows side by side. Threads work out once
// where their columns are, and load what lies as far from all of them.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// Which of the four squares of an operand, two below each other and two along k, an instruction takes one after the other: those of the same
// rows, as of B, or of the same columns, as of A. Registers that one read gives are side by side, and those of a product have to be: in
// another order they would be copied for each product.
enum class square_order
{
    by_rows,
    by_columns
};

// D: one or two fragments of each wave, a lane's elements along k in its vector.
template <class T, distribution D, square_order Order = square_order::by_rows>
class columns_in_lds
{
    // Where four squares of LDS are what the lanes of a wave have.
    static constexpr bool in_squares =
        has_transposed_reads && sizeof(T) == 2 && D.lane == digits{{4, 1, 4}, {8, 0, 1}} && D.reg == digits{{2, 0, 8}};
    static constexpr int own = in_squares ? 1 : D.vecs(); // columns whose addresses a thread has

  public:
    // where(thread, k): of row 0 of the wave's fragment, 16 bytes aligned.
    template <class Where>
    CK_TILE_FN explicit columns_in_lds(Where&& where)
    {
        for_each_thread<D>([&](thread t) {
            const T** at = columns_[t.copy].at;
            if constexpr(in_squares)
            {
                constexpr bool by_rows = Order == square_order::by_rows;
                const int row = t.lane % 8, square = t.lane / 8, along_k = by_rows ? square % 2 : square / 2,
                          below = by_rows ? square / 2 : square % 2;
                at[0]           = where(t, row / 2 * 4 + row % 2 + along_k * 2) + below * 8;
            }
            else
                for(int v = 0; v < own; ++v)
                    at[v] = where(t, reach<D.lane, 1>(t.lane) + v) + reach<D.lane, 0>(t.lane);
        });
    }

    // The operand so many elements beyond.
    CK_TILE_FN void load(tile<T, D>& to, int beyond) const
    {
        for_each_thread<D>([&](thread t) {
            auto& own_registers = to.file_of(t);
            const T* const* at  = columns_[t.copy].at;
            if constexpr(in_squares)
            {
                unsigned words[4];
                read_transposed(words, at[0] + beyond);
                constexpr int second     = Order == square_order::by_rows ? 1 : 2;
                const unsigned of_rows[] = {words[0], words[second], words[3 - second], words[3]};
                __builtin_memcpy(own_registers.reg, of_rows, sizeof of_rows);
            }
            else
                for_each_element<D>([&](auto r, auto v) {
                    const T* from = at[v] + beyond + reach<D.reg, 0>(r);
                    check_lds_read(from, sizeof(T));
                    own_registers.set(r, v, *from);
                });
        });
    }

    CK_TILE_FN void move(int elements)
    {
        for_each_thread<D>([&](thread t) {
            for(const T*& at : columns_[t.copy].at)
                at += elements;
        });
    }

  private:
    struct columns
    {
        const T* at[own];
    };
    detail::per_thread<columns, copies_of(D.threads())> columns_;
};

} // namespace ck_tile
