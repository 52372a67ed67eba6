// SPDX-License-Identifier: MIT
// The laws of shares: every step of every tile is made once, parts of a tile are numbered in the order of their steps, and no block makes
// more of the shared tiles than its share.
#include "ck_tile/gemm/stream_k.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace ck_tile::gemm
{
namespace
{

void expect_laws(const stream_k& work, int steps)
{
    std::map<int, std::map<int, tile_share>> shares_by_first; // of each tile
    std::vector<int> of_block(static_cast<std::size_t>(work.blocks));
    std::vector<int> taken(static_cast<std::size_t>(work.shares()));
    for(int number = 0; number < work.count(); ++number)
    {
        const tile_share p = work.share<true>(number);
        ASSERT_GE(p.tile, 0);
        ASSERT_LT(p.tile, work.tiles);
        if(p.shares == 0)
        {
            EXPECT_EQ(p.steps, 0);
            continue;
        }
        ASSERT_TRUE(shares_by_first[p.tile].emplace(p.first, p).second) << "made twice";
        if(p.tile < work.whole)
        {
            EXPECT_EQ(p.shares, 1);
            EXPECT_EQ(p.tile / work.blocks, number / work.blocks);
            continue;
        }
        EXPECT_GT(p.steps, 0);
        EXPECT_EQ(p.shared, p.tile - work.whole);
        of_block[static_cast<std::size_t>(number % work.blocks)] += p.steps;
        ASSERT_LT(p.number, work.shares());
        EXPECT_EQ(taken[static_cast<std::size_t>(p.number)]++, 0) << "two parts of one number";
    }
    ASSERT_EQ(int(shares_by_first.size()), work.tiles);
    for(const auto& [tile, shares] : shares_by_first)
    {
        if(tile < work.whole)
            continue;
        int next = 0, number = shares.begin()->second.first_number;
        for(const auto& [first, p] : shares)
        {
            EXPECT_EQ(first, next);
            EXPECT_EQ(p.number, number++);
            EXPECT_EQ(p.shares, int(shares.size()));
            next = first + p.steps;
        }
        EXPECT_EQ(next, steps);
    }
    for(const int own : of_block)
        EXPECT_LE(own, work.per_block.divisor);
}

TEST(StreamK, ASharePerBlock)
{
    random_numbers random(7);
    for(int i = 0; i < 500 && !testing::Test::HasFailure(); ++i)
    {
        const int blocks = random.between(1, 40), tiles = random.between(1, 100), steps = random.between(1, 60);
        SCOPED_TRACE(testing::Message() << tiles << " tiles of " << steps << " steps, " << blocks << " blocks");
        if(tiles % blocks != 0)
            expect_laws(stream_k::of_shares(tiles, blocks, steps, 0), steps);
    }
}

TEST(StreamK, PartsAtTheSameSteps)
{
    random_numbers random(8);
    for(int i = 0; i < 500 && !testing::Test::HasFailure(); ++i)
    {
        const int blocks = random.between(4, 40), rest = random.between(1, blocks / 2),
                  tiles  = random.between(0, 2) * blocks + rest;
        const int shares = random.between(2, std::max(blocks / rest, 2)), steps = random.between(shares, 60);
        SCOPED_TRACE(testing::Message() << tiles << " tiles of " << steps << " steps in " << shares << " parts, "
                                        << blocks << " blocks");
        const stream_k work = stream_k::of_shares(tiles, blocks, steps, shares);
        expect_laws(work, steps);
        for(int number = work.whole; number < work.count(); ++number)
            if(const tile_share p = work.share<true>(number); p.shares > 0)
                EXPECT_EQ(p.first % work.per_block.divisor, 0);
    }
}

TEST(StreamK, WholeTiles)
{
    expect_laws(stream_k::of_whole_tiles(7, 3, 5), 5);
    expect_laws(stream_k::of_whole_tiles(0, 1, 5), 5);
    EXPECT_EQ(stream_k::of_whole_tiles(7, 3, 5).shares(), 0);
    EXPECT_EQ(stream_k::of_whole_tiles(7, 3, 5).share<true>(2).tile, 2);
    expect_laws(stream_k::of_whole_tiles(0, 0, 5, true), 5);
}

// Who has a longer tile in a turn has a shorter one in the next, and the last turn has the tiles that are left for the first blocks.
TEST(StreamK, TurnsWhereTheLongestTilesComeFirst)
{
    random_numbers random(9);
    for(int i = 0; i < 500 && !testing::Test::HasFailure(); ++i)
    {
        const int blocks = random.between(1, 40), tiles = random.between(0, 200);
        SCOPED_TRACE(testing::Message() << tiles << " tiles, " << blocks << " blocks");
        const stream_k work = stream_k::of_whole_tiles(tiles, blocks, 5, true);
        expect_laws(work, 5);
        for(int number = 0; number < tiles; ++number)
        {
            const int tile = work.share<true>(number).tile;
            if(number + blocks < tiles)
                EXPECT_EQ(tile % blocks + work.share<true>(number + blocks).tile % blocks, blocks - 1);
            if(number / blocks == (tiles - 1) / blocks)
                EXPECT_EQ(tile, number);
        }
    }
}

} // namespace
} // namespace ck_tile::gemm
