// SPDX-License-Identifier: MIT
// The checker of programs on the CPU.
//
// It knows what has happened before what. Each wave has a clock, and so have its asynchronous copies and its products of operands in LDS;
// a barrier, an arrival that is waited for, a wait for copies hand on what one knows of the others' clocks (vector clocks, as in
// Flanagan and Freund, "FastTrack", 2009). Two bytes of LDS have a cell that says who wrote there last and who has read since; a byte of
// a device's memory says the same of the blocks and waves of a launch.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ck_tile/targets/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ck_tile
{

// Memory of host devices: what lies beyond it is told from what is in it.
void add_host_memory(const std::byte* begin, std::size_t bytes);
void remove_host_memory(const std::byte* begin);

// Bytes before and behind the memory of a device, and of a block's LDS, that nobody may touch.
inline constexpr std::size_t red_zone = 256;
void mark_red_zones(std::byte* begin, std::size_t bytes);
void unmark_red_zones(std::byte* begin, std::size_t bytes);
bool red_zones_are_intact(const std::byte* begin, std::size_t bytes);

// One launch, whose blocks are run by several workers.
class checked_launch
{
  public:
    checked_launch(const kernel& k, grid blocks, std::uint32_t seed);
    ~checked_launch();

    // Which block is the n-th, in an order that the seed says.
    grid block_at(std::uint64_t n) const;

    // Runs blocks of the launch, one after the other, in a worker's LDS.
    class worker
    {
      public:
        worker(checked_launch& launch, std::byte* lds);
        ~worker();
        status run(const void* arguments, grid at);

      private:
        class checker;
        std::unique_ptr<checker> checker_;
    };

    // What can be said when all blocks have been run.
    status finish() const;

  private:
    struct shared;
    std::unique_ptr<shared> shared_;
};

} // namespace ck_tile
