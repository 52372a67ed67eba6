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

// Three boxes of 32 numbers come to each of two stages, which two waves ask for in turn.
struct ring_of_boxes
{
    using ring_type = stage_ring<2, 2, 1, 32, stage_filling::in_boxes>;
    alignas(128) std::byte lds[512 + ring_type::bytes];
    std::byte numbers[192];
    block in = [this] {
        std::memset(lds, 0xff, sizeof lds);
        for(std::size_t i = 0; i < sizeof numbers; ++i)
            numbers[i] = std::byte(i + 1);
        return block{{}, lds};
    }();
    tensor_map map = packed_map(numbers, 1, {sizeof numbers, 1, 1, 1}, {32, 1, 1, 1}, false);
    ring_type ring{in, 512};

    void copy(int stage)
    {
        ring.wait_free();
        ring.fill_with_boxes([&](const auto& box) {
            for(int i = 0; i < 3; ++i)
                box(lds + 256 * stage + 32 * i, map, {96 * stage + 32 * i, 0, 0, 0}, 32);
            box.leave(lds + 256 * stage + 96, 32);
        });
    }
    void use(int stage)
    {
        ring.wait_full();
        EXPECT_EQ(std::memcmp(lds + 256 * stage, numbers + 96 * stage, 96), 0);
        for(int i = 96; i < 128; ++i)
            EXPECT_EQ(lds[256 * stage + i], std::byte(0xff)) << "what nobody wants is NaNs";
        ring.used();
    }
};

TEST(StageRing, OfBoxes)
{
    ring_of_boxes b;
    for(const int stage : {0, 1, 0})
    {
        b.copy(stage);
        b.use(stage);
    }
    EXPECT_DEATH(b.ring.wait_full(), "waiting for a phase that nobody ends");
}

TEST(StageRingDeathTest, UseAfterClosing)
{
    ring_in_lds b;
    b.ring.close(b.in);
    EXPECT_DEATH(b.ring.filled(), "an arrival where there is no barrier");
}

} // namespace
} // namespace ck_tile
