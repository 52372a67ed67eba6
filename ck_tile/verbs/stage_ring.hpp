// SPDX-License-Identifier: MIT
// Stages of LDS in turn, which some waves of a block fill while others use what is in those before: neither waits for the other but
// where there is no stage left. Two mbarriers for each stage say that it is full, and that it is free again.
//
//   stage_ring<4, 4, 8, 32> ring(b, b.lds_at<&plan::stages>());      // 4 stages, which 4 waves of 32 lanes fill and 8 use
//   b.sync();                                          // now it can be used
//   ring.wait_free(); copy(..., ring.to_fill()); ring.filled();                  // those that fill; see stage_filling for others
//   ... ring.to_use(); ring.wait_full(); ...; ring.used();                       // those that use
//   ring.close(b);
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/threads.hpp"
#include "ck_tile/verbs/box_copy.hpp"

namespace ck_tile
{

// The place of waves in a ring: which stage is next, and how often they have been round.
struct ring_position
{
    int stage = 0, round = 0;

    CK_TILE_FN void advance(int stages)
    {
        const bool last = ++stage == stages;
        stage           = last ? 0 : stage;
        round += last;
    }
    CK_TILE_FN int count(int stages) const { return round * stages + stage; }
};

// What comes to a stage: what all threads that fill copy or write; or boxes, which one thread of each wave asks for.
enum class stage_filling
{
    by_threads,
    in_boxes
};

template <int Stages, int FillingWaves, int UsingWaves, int Lanes, stage_filling Filling = stage_filling::by_threads>
class stage_ring
{
    static constexpr bool in_boxes = Filling == stage_filling::in_boxes;

  public:
    static constexpr int bytes = ceil_div(2 * Stages * int(sizeof(mbarrier)), 16) * 16; // of LDS, beside the stages

    // In a plan's member lds_memory<stage_ring<...>>, or at an offset.
    CK_TILE_FN stage_ring(const block& in, const lds_room<stage_ring>& memory)
        : stage_ring(in, static_cast<int>(memory.data - in.lds))
    {
    }
    CK_TILE_FN stage_ring(const block& in, int byte_offset) : full_(in.lds_at<mbarrier>(byte_offset))
    {
        run_one_thread<FillingWaves + UsingWaves, Lanes>([&] {
            for(int i = 0; i < Stages; ++i)
            {
                full_[i].init(FillingWaves * (in_boxes ? 1 : Lanes));
                full_[Stages + i].init(UsingWaves);
            }
        });
    }

    // The stage that is filled next, how often it has been before, and until it is free.
    CK_TILE_FN int to_fill() const { return filling_.stage; }
    CK_TILE_FN int rounds() const { return filling_.round; }
    CK_TILE_FN void wait_free()
    {
        run_threads<1, FillingWaves, Lanes>([&](thread) { free(filling_.stage).wait(filling_.round - 1); });
    }

    // f(box) asks for boxes, which the waves share out, see copy_boxes_to(); the stage is free.
    template <class F>
    requires(in_boxes)
    CK_TILE_FN void fill_with_boxes(F&& f)
    {
        run_threads<1, FillingWaves, Lanes>([&](thread t) __attribute__((always_inline)) {
            if(t.lane == 0)
                copy_boxes_to(full_[filling_.stage], t.wave, FillingWaves, f);
        });
        filling_.advance(Stages);
    }

    // This thread has written what it has to.
    CK_TILE_FN void filled()
    requires(!in_boxes)
    {
        run_threads<1, FillingWaves, Lanes>([&](thread) { full_[filling_.stage].arrive(); });
        filling_.advance(Stages);
    }
    // Its asynchronous copies to the stage are under way, and it has written nothing there itself.
    CK_TILE_FN void filled_when_copied()
    requires(!in_boxes)
    {
        run_threads<1, FillingWaves, Lanes>([&](thread) { full_[filling_.stage].arrive_when_copied(); });
        filling_.advance(Stages);
    }

    // On the CPU, which has both roles in turn: whether wait_free() would come back.
    CK_TILE_FN bool has_free() const { return filling_.count(Stages) - freeing_.count(Stages) < Stages; }

    // The stage that is used next, and until it is full; the next one is another then.
    CK_TILE_FN int to_use() const { return using_.stage; }
    CK_TILE_FN void wait_full()
    {
        run_threads<1, UsingWaves, Lanes>([&](thread) { full_[using_.stage].wait(using_.round); });
        using_.advance(Stages);
    }

    // The wave needs the oldest of the stages no more for which it has waited.
    CK_TILE_FN void used()
    {
        sync_wave(); // one lane arrives for all
        run_threads<1, UsingWaves, Lanes>([&](thread t) {
            if(t.lane == 0)
                free(freeing_.stage).arrive();
        });
        freeing_.advance(Stages);
    }

    // Its memory becomes free for something else after a sync of the block.
    CK_TILE_FN void close(const block& in)
    {
        in.sync();
        run_one_thread<FillingWaves + UsingWaves, Lanes>([&] {
            for(int i = 0; i < 2 * Stages; ++i)
                full_[i].invalidate();
        });
    }

  private:
    CK_TILE_FN mbarrier& free(int stage) const { return full_[Stages + stage]; }

    mbarrier* full_; // and those that are free behind
    ring_position filling_, using_, freeing_;
};

} // namespace ck_tile
