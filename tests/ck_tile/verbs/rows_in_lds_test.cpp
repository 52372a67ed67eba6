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

constexpr int waves = 2, beyond_step = 3; // lines from step 0 to step 1

// An operand of 16 rows, of so many steps of 8 columns of k.
constexpr distribution operand(int steps)
{
    return {.lengths = {16, 8 * steps * waves},
            .wave    = {{waves, 1, 8 * steps}},
            .lane    = {{4, 1, 2 * steps}, {8, 0, 1}},
            .reg     = {{2, 0, 8}},
            .vec     = {{2 * steps, 1, 1}}};
}

// Each row is another line, and waves have other columns, where there are several.
constexpr int line_of(int wave, int row) { return (row * 5 + 3) % 16 + wave * 20; }
constexpr int column_of(int wave, int columns) { return (16 + 32 * wave) % columns; }
// What is there: a number of 16 bits that fp16 has, of few lines.
constexpr fp16 at(int line, int column) { return static_cast<fp16>((line * 64 + column) % 2048); }

template <int Columns>
inline constexpr lds_layout layout = swizzled_rows(64, Columns);
template <int Columns>
using rows = rows_in_lds<fp16, layout<Columns>, operand(2)>;

// Where the second step is: some lines further, or in the next chunk of the line.
enum class second
{
    beyond,
    beside
};
constexpr int line_of(int wave, int row, int step, second where)
{
    return line_of(wave, row) + (where == second::beyond ? step * beyond_step : 0);
}
constexpr int column_of(int wave, int step, int columns, second where)
{
    return column_of(wave, columns) + (where == second::beside ? step * 8 : 0);
}

template <int Parts, int Columns>
void expect_rows(const rows<Columns>& from, auto lines, int elements, second where)
{
    constexpr distribution D = operand(Parts);
    tile<fp16, D> loaded;
    from.load(loaded, lines, elements);
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](int r, int v) {
            const int row = t.lane / 4 + 8 * r, step = v / 2, column = t.lane % 4 * 2 + v % 2;
            EXPECT_EQ(static_cast<float>(loaded.file_of(t).get(r, v)),
                      static_cast<float>(at(line_of(t.wave, row, step, where) + lines,
                                            column_of(t.wave, step, Columns, where) + elements + column)))
                << "row " << row << ", step " << step << ", column " << column;
        });
    });
}

template <int Columns>
void expect_where_the_program_says(second where)
{
    std::vector<fp16> memory(layout<Columns>.elements());
    const lds_tile<fp16, layout<Columns>> lds{memory.data()};
    for(int line = 0; line < layout<Columns>.rows; ++line)
        for(int column = 0; column < Columns; ++column)
            *lds.at(line, column) = at(line, column);
    const rows<Columns> from(
        lds, [&](thread t, int row, int step) { return line_of(t.wave, row, step, where); },
        [&](thread t, int step) { return column_of(t.wave, step, Columns, where); });
    for(const int elements : {0, 8})
    {
        if(elements > 0 && where == second::beside) // a bit of the second step's column
            continue;
        for(const int lines : {0, 1, 7, 11})
        {
            expect_rows<1, Columns>(from, lines, elements, where);
            expect_rows<2, Columns>(from, lines, elements, where);
        }
        expect_rows<2, Columns>(from, constant<5>{}, elements, where); // which the compiler knows
    }
}

TEST(RowsInLds, AreWhereTheProgramSays)
{
    for(const second where : {second::beyond, second::beside})
    {
        expect_where_the_program_says<16>(where);
        expect_where_the_program_says<32>(where);
        expect_where_the_program_says<64>(where);
    }
}

} // namespace
} // namespace ck_tile
