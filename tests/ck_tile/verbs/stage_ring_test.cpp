// SPDX-License-Identifier: MIT
// A ring of stages is filled and used in turn, as far apart as it has stages, and no use is let through that would hang or race on a
// GPU.
#include "ck_tile/verbs/stage_ring.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace ck_tile
{
namespace
{

struct ring_in_lds
{
    static constexpr int stages = 3;
    using ring_type             = stage_ring<stages, 2, 3, 32>;
    alignas(16) std::byte lds[16 + ring_type::bytes];
    block in = [this] {
        std::memset(lds, 0xff, sizeof lds);
        return block{{}, lds};
    }();
    ring_type ring{in, 16};

    void fill()
    {
        ring.wait_free();
        ring.filled();
    }
    void use()
    {
        ring.wait_full();
        ring.used();
    }
};

TEST(StageRing, IsFilledAsFarAheadAsThereAreStages)
{
    ring_in_lds b;
    int filled = 0, used = 0;
    for(int turn = 0; turn < 11; ++turn)
    {
        while(b.ring.has_free())
        {
            EXPECT_EQ(b.ring.to_fill(), filled++ % b.stages);
            b.fill();
        }
        EXPECT_EQ(filled, used + b.stages);
        EXPECT_EQ(b.ring.to_use(), used++ % b.stages);
        b.use();
    }
    b.ring.close(b.in);
}

// Products of one stage may be under way when the next one is waited for.
TEST(StageRing, IsUsedLaterThanWaitedFor)
{
    ring_in_lds b;
    b.fill();
    b.fill();
    b.ring.wait_full();
    b.ring.wait_full();
    EXPECT_EQ(b.ring.to_use(), 2);
    b.ring.used();
    b.ring.used();
    EXPECT_TRUE(b.ring.has_free());
}

TEST(StageRingDeathTest, UsingWhatNobodyFilled)
{
    ring_in_lds b;
    EXPECT_DEATH(b.use(), "waiting for a phase that nobody ends");
    b.fill();
    b.use();
    EXPECT_DEATH(b.use(), "waiting for a phase that nobody ends");
}

TEST(StageRingDeathTest, FillingMoreStagesThanThereAre)
{
    ring_in_lds b;
    for(int i = 0; i < b.stages; ++i)
        b.fill();
    EXPECT_FALSE(b.ring.has_free());
    EXPECT_DEATH(b.fill(), "waiting for a phase that nobody ends");
}

TEST(StageRingDeathTest, UseAfterClosing)
{
    ring_in_lds b;
    b.ring.close(b.in);
    EXPECT_DEATH(b.ring.filled(), "an arrival where there is no barrier");
}

} // namespace
} // namespace ck_tile
