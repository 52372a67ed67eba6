// SPDX-License-Identifier: MIT
// Copies of boxes of tensors (tensor_map) between memory and LDS: one thread asks for them, the copy engine does them while all threads go on,
// and who needs what they bring waits at a barrier. One for each place in LDS that boxes are copied to again and again:
//
//   box_barrier<waves, lanes> copied(b.lds_at<mbarrier>(byte offset));
//   copied.init();
//   b.sync();                          // now it can be used
//   for(int turn = 0; ...; ++turn) { copied.copy([&](auto box) { box(to, map, coord, bytes); }); ...; copied.wait(turn); ...; b.sync(); }
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/tensor_map.hpp"
#include "ck_tile/targets/threads.hpp"

#include <concepts>

namespace ck_tile
{

// What f gets below; copies of it count together.
struct box_copier
{
    mbarrier& barrier;
    int own, threads;
    int &number, &all; // boxes so far, and bytes of those that are this thread's

    CK_TILE_FN void operator()(void* to, const tensor_map& map, const tensor_map::coord& at, int bytes) const
    {
        copy(to, map, at, bytes);
    }
    template <std::same_as<tensor_map::tap_coord> Coord>
    CK_TILE_FN void operator()(void* to, const tensor_map& map, const Coord& at, int bytes) const
    {
        copy(to, map, at, bytes);
    }
    // Instead of a box that nobody wants.
    CK_TILE_FN void leave(void* to, int bytes) const
    {
        if(next_is_own())
            leave_box(to, bytes);
    }

  private:
    CK_TILE_FN bool next_is_own() const { return number++ % threads == own; }
    CK_TILE_FN void copy(void* to, const tensor_map& map, const auto& at, int bytes) const
    {
        if(!next_is_own())
            return;
        copy_box(to, map, at, bytes, barrier);
        all += bytes;
    }
};

// f(box), where box(to, map, coord or tap_coord, bytes) copies the box that begins there, which has so many bytes, or box.leave(to, bytes) none: each
// the next one of so many threads, of which this is number `own`. A thread arrives at the barrier when its boxes are in LDS.
template <class F>
CK_TILE_FN void copy_boxes_to(mbarrier& barrier, int own, int threads, F&& f)
{
    int number = 0, all = 0;
    f(box_copier{barrier, own, threads, number, all});
    barrier.arrive_with_boxes(all);
}

template <int Waves, int Lanes>
class box_barrier
{
  public:
    static constexpr int bytes = 16; // of LDS: an mbarrier, and what keeps the next thing aligned

    CK_TILE_FN explicit box_barrier(mbarrier* at) : barrier_(at) {}
    CK_TILE_FN void init()
    {
        run_one_thread<Waves, Lanes>([&] { barrier_->init(1); });
    }

    // Its memory becomes free for something else; all threads have waited, and met since.
    CK_TILE_FN void end()
    {
        run_one_thread<Waves, Lanes>([&] { barrier_->invalidate(); });
    }

    // See copy_boxes_to(): the barrier's turn ends when all are in LDS; what they overwrite, all threads are done with since they have met.
    template <class F>
    CK_TILE_FN void copy(F&& f, source_line line = source_line::current())
    {
        [[maybe_unused]] const verb_scope verb("copy", line);
        run_one_thread<Waves, Lanes>([&]() __attribute__((always_inline)) { copy_boxes_to(*barrier_, 0, 1, f); });
    }

    // Until the boxes of the turn, from 0 on, are in LDS: each thread by itself.
    CK_TILE_FN void wait(int turn)
    {
        run_threads<1, Waves, Lanes>([&](thread) { barrier_->wait(turn); });
    }

  private:
    mbarrier* barrier_;
};

// The reverse, by one thread, of what threads have stored to LDS, and shown by see_copies() before they met:
//
//   box_store<waves, lanes> boxes;
//   ...; see_copies();
//   boxes.wait();                      // for those of the turn before: others may overwrite where they were when all have met
//   b.sync();
//   boxes.store(map, coord, from);     // from another place in LDS than the turn before, which may be overwritten meanwhile
//
// The program waits for the last ones before it ends.
template <int Waves, int Lanes>
class box_store
{
  public:
    CK_TILE_FN void store(const tensor_map& map, const tensor_map::coord& at, const void* from,
                          source_line line = source_line::current())
    {
        [[maybe_unused]] const verb_scope verb("store", line);
        run_one_thread<Waves, Lanes>([&] { boxes_.store(map, at, from); });
    }
    CK_TILE_FN void wait(source_line line = source_line::current())
    {
        [[maybe_unused]] const verb_scope verb("wait", line);
        run_one_thread<Waves, Lanes>([&] { boxes_.wait(); });
    }

  private:
    stored_boxes boxes_;
};

} // namespace ck_tile
