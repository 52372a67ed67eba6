// SPDX-License-Identifier: MIT
// Operands [m, k] of a matrix product whose rows are lines of a tile in LDS, where the program says, 8 elements of one or two steps of k side
// by side. Threads work out once where theirs are, and load what lies as far from all of them.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// Of operands of 16 rows, two of which a lane has, and pairs of k: of the first step alone, or of both, as the distribution D of what is loaded
// says. Lanes: that of a block whose waves have an operand each. The tile's lines are swizzled_rows.
template <class T, auto Layout, distribution Lanes>
class rows_in_lds
{
    static_assert(sizeof(T) == 2 && Layout == swizzled_rows(Layout.rows, Layout.cols));
    static constexpr bool in_squares = has_transposed_reads;
    static constexpr int rows = 2, steps = 2, squares = rows * steps;
    static constexpr int period = 8; // lines, after which chunks are permuted as before

  public:
    // line_of(thread, row, step): of the tile, where a row of the wave's operand is; column_of(thread, step): where it begins there, a multiple of 8.
    template <class Line, class Column>
    CK_TILE_FN rows_in_lds(const lds_tile<T, Layout>& from, Line&& line_of, Column&& column_of) : from_(from)
    {
        for_each_thread<Lanes>([&](thread t) {
            origin& p = origins_[t.copy];
            if constexpr(in_squares)
            {
                p.line[0] = line_of(t, t.lane % 16, t.lane / 16), p.column[0] = column_of(t, t.lane / 16);
                static_for<period>(
                    [&](auto n) { p.keyed[n] = address_of(p.line[0] + n, p.column[0]) - n * line_bytes; });
            }
            else
                for(int i = 0; i < squares; ++i)
                    p.line[i] = line_of(t, i % rows * 8 + t.lane / 4, i / rows), p.column[i] = column_of(t, i / rows);
        });
    }

    // The operand so many lines further, a constant where the compiler knows it, and so many elements further along the line: a multiple of 8
    // whose bits are 0 in column_of().
    template <distribution D>
    CK_TILE_FN void load(tile<T, D>& to, auto lines, int elements) const
    {
        constexpr int steps_loaded = D.vecs() / 2;
        static_assert(D.regs() == rows && steps_loaded <= steps && D.lanes() == Lanes.lanes());
        for_each_thread<D>([&](thread t) {
            auto& own_registers = to.file_of(t);
            const origin& p     = origins_[t.copy];
            if constexpr(in_squares)
            {
                unsigned at, words[rows * steps_loaded], in_order[rows * steps_loaded];
                if constexpr(std::is_same_v<decltype(lines), int>)
                    at = address_of(p.line[0] + lines, p.column[0] + elements);
                else
                    at = (p.keyed[lines % period] ^ unsigned(elements * sizeof(T))) + lines * line_bytes;
                read_squares(words, at);
                for(int i = 0; i < rows * steps_loaded; ++i)
                    in_order[i % rows * steps_loaded + i / rows] = words[i];
                __builtin_memcpy(own_registers.reg, in_order, sizeof in_order);
            }
            else
                for_each_element<D>([&](auto r, auto v) {
                    const int square = v / 2 * rows + r;
                    const T* from =
                        from_.at(p.line[square] + lines, p.column[square] + elements + t.lane % 4 * 2 + v % 2);
                    check_lds_read(from, sizeof(T));
                    own_registers.set(r, v, *from);
                });
        });
    }

  private:
    static constexpr unsigned line_bytes = Layout.line() * sizeof(T);

    // As swizzled_rows permutes chunks, without the divisions.
    CK_TILE_FN unsigned address_of(int line, int column) const
    {
        return lds_address(from_.data) + unsigned(line) * line_bytes +
               (unsigned(column / Layout.chunk ^ swizzle_of_row<Layout>(line)) * lds_chunk_bytes);
    }

    struct origin
    {
        int line[in_squares ? 1 : squares], column[in_squares ? 1 : squares];
        unsigned keyed[in_squares ? period
                                  : 1]; // bytes: where line[0] would be, were its chunks as n lines further, for each n
    };
    lds_tile<T, Layout> from_;
    detail::per_thread<origin, copies_of(Lanes.threads())> origins_;
};

} // namespace ck_tile
