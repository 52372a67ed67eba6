// SPDX-License-Identifier: MIT
// Operands [m, k] of a matrix product that lie in LDS across: column k where the program says, its rows side by side. Threads work out once
// where their columns are, and load what lies as far from all of them.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// D: one or two fragments of each wave, a lane's elements along k in its vector.
template <class T, distribution D>
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
                const int row = t.lane % 8, square = t.lane / 8;
                at[0] = where(t, row / 2 * 4 + row % 2 + square % 2 * 2) + square / 2 * 8;
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
                __builtin_memcpy(own_registers.reg, words, sizeof words);
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
