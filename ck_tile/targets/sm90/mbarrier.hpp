// SPDX-License-Identifier: MIT
// The mbarrier of NVIDIA GPUs, which hardware keeps. It tells a phase from the next by its parity.
#pragma once

#include "ck_tile/targets/sm90/async_copy.hpp"
#include "ck_tile/targets/tensor_map.hpp"

namespace ck_tile
{

class mbarrier
{
  public:
    CK_TILE_FN void init(int arrivals)
    {
        // The fence is for copies of boxes that arrive at it.
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster;"
                     :
                     : "r"(lds_address(this)), "r"(arrivals)
                     : "memory");
    }

    CK_TILE_FN void invalidate()
    {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" : : "r"(lds_address(this)) : "memory");
    }

    CK_TILE_FN void arrive()
    {
        asm volatile("{.reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0];}"
                     :
                     : "r"(lds_address(this))
                     : "memory");
    }

    CK_TILE_FN void arrive_when_copied()
    {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" : : "r"(lds_address(this)) : "memory");
    }

    CK_TILE_FN void arrive_with_boxes(int bytes)
    {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :
                     : "r"(lds_address(this)), "r"(bytes)
                     : "memory");
    }

    CK_TILE_FN void wait(int phase) const
    {
        while(!has_ended(phase & 1))
            ;
    }

  private:
    // Gives up after a time that the hardware chooses.
    CK_TILE_FN bool has_ended(int parity) const
    {
        int ended;
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                     : "=r"(ended)
                     : "r"(lds_address(this)), "r"(parity)
                     : "memory");
        return ended != 0;
    }

    [[maybe_unused]] unsigned long long state_;
};

CK_TILE_FN void copy_box(void* to, const tensor_map& map, const tensor_map::coord& at, int, mbarrier& barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];"
                 :
                 : "r"(lds_address(to)), "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                   "r"(lds_address(&barrier))
                 : "memory");
}

// Leaves in LDS what is there.
CK_TILE_FN void leave_box(void*, int) {}

// A box of windows.
CK_TILE_FN void copy_box(void* to, const tensor_map& map, const tensor_map::tap_coord& at, int, mbarrier& barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                 :
                 : "r"(lds_address(to)), "l"(&map), "r"(at.first[0]), "r"(at.first[1]), "r"(at.first[2]),
                   "r"(at.first[3]), "r"(lds_address(&barrier)), "h"(static_cast<std::int16_t>(at.tap[0])),
                   "h"(static_cast<std::int16_t>(at.tap[1]))
                 : "memory");
}

class stored_boxes
{
  public:
    CK_TILE_FN void store(const tensor_map& map, const tensor_map::coord& at, const void* from)
    {
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];\n"
                     "cp.async.bulk.commit_group;"
                     :
                     : "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(lds_address(from))
                     : "memory");
    }
    CK_TILE_FN void wait() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
};

} // namespace ck_tile
