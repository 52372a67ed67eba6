// SPDX-License-Identifier: MIT
// A barrier of the block in two halves: a thread that has done its part says so and goes on, and waits only where it needs what
// the others have done. One mbarrier, of which each turn is a phase.
//
//   arrive_wait_barrier<waves, lanes> done(b, b.lds_at<&plan::done>());
//   b.sync();                          // now it can be used
//   for(...) { ...; done.arrive(); ...; done.wait(); ... }
//   done.close(b);
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/threads.hpp"

namespace ck_tile
{

template <int Waves, int Lanes>
class arrive_wait_barrier
{
  public:
    static constexpr int bytes = 16; // of LDS: an mbarrier, and what keeps the next thing aligned

    // In a plan's member lds_memory<arrive_wait_barrier<...>>, or at an offset.
    CK_TILE_FN arrive_wait_barrier(const block& in, const lds_room<arrive_wait_barrier>& memory)
        : arrive_wait_barrier(in, static_cast<int>(memory.data - in.lds))
    {
    }
    CK_TILE_FN arrive_wait_barrier(const block& in, int byte_offset) : barrier_(in.lds_at<mbarrier>(byte_offset))
    {
        run_one_thread<Waves, Lanes>([&] { barrier_->init(Waves * Lanes); });
    }

    CK_TILE_FN void arrive()
    {
        run_threads<1, Waves, Lanes>([&](thread) { barrier_->arrive(); });
    }

    // Until all threads have arrived as often as this one; they see each other's LDS of before.
    CK_TILE_FN void wait()
    {
        run_threads<1, Waves, Lanes>([&](thread) { barrier_->wait(turn_); });
        ++turn_;
    }

    // Its memory becomes free for something else after a sync of the block.
    CK_TILE_FN void close(const block& in)
    {
        in.sync();
        run_one_thread<Waves, Lanes>([&] { barrier_->invalidate(); });
    }

  private:
    mbarrier* barrier_;
    int turn_ = 0;
};

} // namespace ck_tile
