// SPDX-License-Identifier: MIT
// Operands whose rows lie in LDS: each thread has the elements that its distribution says, of rows and steps of k in any line.
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/verbs/rows_in_lds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

constexpr int waves = 2, columns = 64, beyond_step = 3; // lines from step 0 to step 1
constexpr lds_layout layout = swizzled_rows(64, columns);

// An operand of 16 rows, of so many steps of 8 columns of k.
constexpr distribution operand(int steps)
{
    return {.lengths = {16, 8 * steps * waves},
            .wave    = {{waves, 1, 8 * steps}},
            .lane    = {{4, 1, 2 * steps}, {8, 0, 1}},
            .reg     = {{2, 0, 8}},
            .vec     = {{2 * steps, 1, 1}}};
}

// Each row is another line, and waves have other columns.
constexpr int line_of(int wave, int row) { return (row * 5 + 3) % 16 + wave * 20; }
constexpr int column_of(int wave) { return 16 + 32 * wave; }
// What is there: a number of 16 bits that fp16 has, of few lines.
constexpr fp16 at(int line, int column) { return static_cast<fp16>((line * columns + column) % 2048); }

using rows = rows_in_lds<fp16, layout, operand(2)>;

template <int Parts>
void expect_rows(const rows& from, auto lines, int elements)
{
    constexpr distribution D = operand(Parts);
    tile<fp16, D> loaded;
    from.load(loaded, lines, elements);
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](int r, int v) {
            const int row = t.lane / 4 + 8 * r, step = v / 2, column = t.lane % 4 * 2 + v % 2;
            EXPECT_EQ(static_cast<float>(loaded.file_of(t).get(r, v)),
                      static_cast<float>(
                          at(line_of(t.wave, row) + step * beyond_step + lines, column_of(t.wave) + elements + column)))
                << "row " << row << ", step " << step << ", column " << column;
        });
    });
}

TEST(RowsInLds, AreWhereTheProgramSays)
{
    std::vector<fp16> memory(layout.elements());
    const lds_tile<fp16, layout> lds{memory.data()};
    for(int line = 0; line < layout.rows; ++line)
        for(int column = 0; column < columns; ++column)
            *lds.at(line, column) = at(line, column);
    const rows from(
        lds, [](thread t, int row, int step) { return line_of(t.wave, row) + step * beyond_step; },
        [](thread t) { return column_of(t.wave); });
    for(const int elements : {0, 8})
    {
        for(const int lines : {0, 1, 7, 11})
        {
            expect_rows<1>(from, lines, elements);
            expect_rows<2>(from, lines, elements);
        }
        expect_rows<2>(from, constant<5>{}, elements); // which the compiler knows
    }
}

} // namespace
} // namespace ck_tile
