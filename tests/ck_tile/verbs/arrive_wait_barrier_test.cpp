// SPDX-License-Identifier: MIT
// A split barrier is passed turn by turn, and no use is let through that would hang or race on a GPU.
#include "ck_tile/verbs/arrive_wait_barrier.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace ck_tile
{
namespace
{

struct barrier_in_lds
{
    using barrier = arrive_wait_barrier<3, 32>;
    alignas(16) std::byte lds[16 + barrier::bytes];
    block in = [this] {
        std::memset(lds, 0xff, sizeof lds);
        return block{{}, lds};
    }();
    barrier done{in, 16};
};

TEST(SplitBarrier, IsPassedTurnByTurn)
{
    barrier_in_lds b;
    for(int turn = 0; turn < 5; ++turn)
    {
        b.done.arrive();
        b.done.wait();
    }
    b.done.close(b.in);
}

TEST(SplitBarrierDeathTest, WaitingBeforeArriving)
{
    barrier_in_lds b;
    EXPECT_DEATH(b.done.wait(), "waiting for a phase that nobody ends");
    b.done.arrive();
    b.done.wait();
    EXPECT_DEATH(b.done.wait(), "waiting for a phase that nobody ends");
}

TEST(SplitBarrierDeathTest, ArrivingTwiceBeforeWaiting)
{
    barrier_in_lds b;
    b.done.arrive();
    b.done.arrive();
    EXPECT_DEATH(b.done.wait(), "waiting for a phase after the next one has ended too");
}

TEST(SplitBarrierDeathTest, UseAfterClosing)
{
    barrier_in_lds b;
    b.done.close(b.in);
    EXPECT_DEATH(b.done.arrive(), "an arrival where there is no barrier");
}

} // namespace
} // namespace ck_tile
