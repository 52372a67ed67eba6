// SPDX-License-Identifier: MIT
// Operands [m, k] of a matrix product whose rows lie in LDS where the program says, 8 elements of one or two steps of k side by side. Threads
// work out once where theirs are, and load what lies as far from all of them.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// Of operands of 16 rows, two of which a lane has, and pairs of k: of the first step alone, or of both, as the distribution D of what is loaded
// says. Lanes: that of a block whose waves have an operand each.
template <class T, distribution Lanes>
class rows_in_lds
{
    static_assert(sizeof(T) == 2);
    static constexpr bool in_squares = has_transposed_reads;
    static constexpr int rows = 2, steps = 2, squares = rows * steps;

  public:
    // where(thread, row, step): of the wave's operand, 16 bytes aligned.
    template <class Where>
    CK_TILE_FN explicit rows_in_lds(Where&& where)
    {
        for_each_thread<Lanes>([&](thread t) {
            const T** at = rows_[t.copy].at;
            if constexpr(in_squares)
                at[0] = where(t, t.lane % 16, t.lane / 16);
            else
                for(int i = 0; i < squares; ++i)
                    at[i] = where(t, i % rows * 8 + t.lane / 4, i / rows) + t.lane % 4 * 2;
        });
    }

    // The operand so many elements beyond.
    template <distribution D>
    CK_TILE_FN void load(tile<T, D>& to, int beyond) const
    {
        constexpr int steps_loaded = D.vecs() / 2;
        static_assert(D.regs() == rows && steps_loaded <= steps && D.lanes() == Lanes.lanes());
        for_each_thread<D>([&](thread t) {
            auto& own_registers = to.file_of(t);
            const T* const* at  = rows_[t.copy].at;
            if constexpr(in_squares)
            {
                unsigned words[rows * steps_loaded], in_order[rows * steps_loaded];
                read_squares(words, at[0] + beyond);
                for(int i = 0; i < rows * steps_loaded; ++i)
                    in_order[i % rows * steps_loaded + i / rows] = words[i];
                __builtin_memcpy(own_registers.reg, in_order, sizeof in_order);
            }
            else
                for_each_element<D>([&](auto r, auto v) {
                    const T* from = at[v / 2 * rows + r] + beyond + v % 2;
                    check_lds_read(from, sizeof(T));
                    own_registers.set(r, v, *from);
                });
        });
    }

    CK_TILE_FN void move(int elements)
    {
        for_each_thread<Lanes>([&](thread t) {
            for(const T*& at : rows_[t.copy].at)
                at += elements;
        });
    }

  private:
    struct addresses
    {
        const T* at[in_squares ? 1 : squares];
    };
    detail::per_thread<addresses, copies_of(Lanes.threads())> rows_;
};

} // namespace ck_tile
