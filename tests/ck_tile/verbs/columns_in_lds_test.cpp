// SPDX-License-Identifier: MIT
// Operands that lie in LDS across: each thread has the elements that its distribution says, of columns in any order and place.
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/verbs/columns_in_lds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <opcode Op>
struct operand_of
{
    static constexpr opcode op = Op;
};

template <class>
class ColumnsInLds : public testing::Test
{};
using instructions = testing::Types<operand_of<opcode::mma_16x8x16_fp16>, operand_of<opcode::mfma_16x16x16_fp16>,
                                    operand_of<opcode::wmma_16x16x16_fp16>>;
TYPED_TEST_SUITE(ColumnsInLds, instructions);

// Op's first operand, whatever the order in which squares of it are loaded.
template <opcode Op, square_order Order>
void expect_columns()
{
    constexpr int waves = 2, line = 40;
    constexpr distribution D = [] {
        distribution d = packed_operand(describe(Op).a, 1);
        d.wave         = {{waves, 0, 16}};
        d.lengths[0]   = 16 * waves;
        return d;
    }();
    // Lines of LDS, of which column k is one of another number, and of which waves have 16 elements each.
    std::vector<fp16> lds(48 * line);
    for(int i = 0; i < int(lds.size()); ++i)
        lds[static_cast<std::size_t>(i)] = static_cast<fp16>(i);
    const auto line_of = [](int k) { return (k * 5 + 3) % 16; };
    columns_in_lds<fp16, D, Order> columns(
        [&](thread t, int k) { return lds.data() + line_of(k) * line + t.wave * 16; });
    for(const int lines_on : {0, 16})
        for(const int beyond : {0, 8})
        {
            tile<fp16, D> loaded;
            columns.load(loaded, beyond);
            for_each_thread<D>([&](thread t) {
                for_each_element<D>([&](int r, int v) {
                    const auto at = coordinates<D, 2>(t, r, v); // row of all waves, column
                    EXPECT_EQ(static_cast<int>(loaded.file_of(t).get(r, v)),
                              static_cast<int>(static_cast<fp16>((line_of(at[1]) + lines_on) * line + at[0] + beyond)));
                });
            });
            if(beyond == 8)
                columns.move(16 * line);
        }
}

TYPED_TEST(ColumnsInLds, AreWhatTheDistributionSays)
{
    expect_columns<TypeParam::op, square_order::by_rows>();
    expect_columns<TypeParam::op, square_order::by_columns>();
}

} // namespace
} // namespace ck_tile
