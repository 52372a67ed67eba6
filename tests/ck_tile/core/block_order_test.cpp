// SPDX-License-Identifier: MIT
// The order of blocks on chiplets is a permutation, and neighbours are on one chiplet.
#include "ck_tile/core/block_order.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <int Chiplets>
void expect_permutation()
{
    for(int blocks : {1, 2, 7, 8, 9, 63, 64, 65, 1000, 1216})
    {
        std::vector<int> chiplet_of(static_cast<std::size_t>(blocks), -1);
        for(int block = 0; block < blocks; ++block)
        {
            const int work = neighbours_on_one_chiplet<Chiplets>(block, blocks);
            ASSERT_TRUE(work >= 0 && work < blocks) << "block " << block << " of " << blocks;
            ASSERT_EQ(chiplet_of[static_cast<std::size_t>(work)], -1) << "two blocks do " << work;
            chiplet_of[static_cast<std::size_t>(work)] = block % Chiplets;
        }
        for(int work = 1; work < blocks; ++work)
            ASSERT_LE(chiplet_of[static_cast<std::size_t>(work - 1)], chiplet_of[static_cast<std::size_t>(work)])
                << "a chiplet's work is not together";
    }
}

TEST(BlockOrder, NeighboursAreOnOneChiplet)
{
    expect_permutation<1>();
    expect_permutation<3>();
    expect_permutation<8>();
    static_assert(neighbours_on_one_chiplet<1>(5, 9) == 5, "one chiplet: as they come");
    static_assert(neighbours_on_one_chiplet<8>(8, 64) == 1, "block 8 is the second of the first chiplet");
}

} // namespace
} // namespace ck_tile
