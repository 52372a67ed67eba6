// SPDX-License-Identifier: MIT
// Operands whose rows lie in LDS: each thread has the elements that its distribution says, of rows and steps of k in any place.
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/verbs/rows_in_lds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

constexpr int waves = 2;

// An operand of 16 rows, of so many steps of 8 columns of k.
constexpr distribution operand(int steps)
{
    return {.lengths = {16, 8 * steps * waves},
            .wave    = {{waves, 1, 8 * steps}},
            .lane    = {{4, 1, 2 * steps}, {8, 0, 1}},
            .reg     = {{2, 0, 8}},
            .vec     = {{2 * steps, 1, 1}}};
}

// Lines of LDS, of which each row is another one, and step 1 is so far beyond step 0.
constexpr int line = 40, beyond_step = 3 * line;
constexpr int line_of(int wave, int row) { return (row * 5 + 3) % 16 + wave * 20; }

template <int Parts>
void expect_rows(const rows_in_lds<fp16, operand(2)>& rows, int moved, int beyond)
{
    constexpr distribution D = operand(Parts);
    tile<fp16, D> loaded;
    rows.load(loaded, beyond);
    for_each_thread<D>([&](thread t) {
        for_each_element<D>([&](int r, int v) {
            const int row = t.lane / 4 + 8 * r, step = v / 2, column = t.lane % 4 * 2 + v % 2;
            EXPECT_EQ(static_cast<int>(loaded.file_of(t).get(r, v)),
                      static_cast<int>(static_cast<fp16>(line_of(t.wave, row) * line + step * beyond_step + column +
                                                         beyond + moved)));
        });
    });
}

TEST(RowsInLds, AreWhereTheProgramSays)
{
    std::vector<fp16> lds(50 * line);
    for(int i = 0; i < int(lds.size()); ++i)
        lds[static_cast<std::size_t>(i)] = static_cast<fp16>(i);
    rows_in_lds<fp16, operand(2)> rows(
        [&](thread t, int row, int step) { return lds.data() + line_of(t.wave, row) * line + step * beyond_step; });
    for(const int moved : {0, 8})
    {
        rows.move(moved);
        for(const int beyond : {0, 16})
        {
            expect_rows<1>(rows, moved, beyond);
            expect_rows<2>(rows, moved, beyond);
        }
        rows.move(-moved);
    }
    rows.move(line);
    tile<fp16, operand(1)> loaded;
    rows.load(loaded, 0);
    EXPECT_EQ(static_cast<int>(loaded.files[0].get(0, 0)), (line_of(0, 0) + 1) * line);
}

} // namespace
} // namespace ck_tile
