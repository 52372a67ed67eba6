// SPDX-License-Identifier: MIT
// An mbarrier on the CPU: phases end with the last arrival, and what would hang or race on a GPU ends the program.
#include "ck_tile/targets/primitives.hpp"

#include <gtest/gtest.h>

namespace ck_tile
{
namespace
{

TEST(Mbarrier, APhaseEndsWithItsLastArrival)
{
    mbarrier barrier;
    barrier.init(3);
    barrier.wait(-1); // has ended before anyone arrives
    for(int phase = 0; phase < 4; ++phase)
    {
        for(int i = 0; i < 3; ++i)
        {
            barrier.wait(phase - 1);
            barrier.arrive();
        }
        barrier.wait(phase);
    }
}

TEST(MbarrierDeathTest, WaitingForAPhaseThatNobodyEnds)
{
    mbarrier barrier;
    barrier.init(2);
    barrier.arrive();
    EXPECT_DEATH(barrier.wait(0), "waiting for a phase that nobody ends: arrive first, as often as init\\(\\) says");
}

TEST(MbarrierDeathTest, WaitingForAPhaseThatIsNotTheLastAnyMore)
{
    mbarrier barrier;
    barrier.init(1);
    barrier.arrive();
    barrier.arrive();
    EXPECT_DEATH(barrier.wait(0), "waiting for a phase after the next one has ended too");
    barrier.wait(1);
}

TEST(MbarrierDeathTest, UseWithoutABarrier)
{
    mbarrier barrier;
    barrier.init(1);
    barrier.invalidate();
    EXPECT_DEATH(barrier.arrive(), "an arrival where there is no barrier");
    EXPECT_DEATH(barrier.wait(-1), "waiting where there is no barrier");
}

} // namespace
} // namespace ck_tile
