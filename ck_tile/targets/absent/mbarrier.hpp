// SPDX-License-Identifier: MIT
// Where no hardware keeps barriers in LDS: a kernel that uses one does not compile.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

// A function of the host: the compiler says that a kernel may not call it.
void this_architecture_has_no_mbarrier();

class mbarrier
{
  public:
    CK_TILE_FN void init(int) { this_architecture_has_no_mbarrier(); }
    CK_TILE_FN void invalidate() { this_architecture_has_no_mbarrier(); }
    CK_TILE_FN void arrive() { this_architecture_has_no_mbarrier(); }
    CK_TILE_FN void arrive_when_copied() { this_architecture_has_no_mbarrier(); }
    CK_TILE_FN void arrive_with_boxes(int) { this_architecture_has_no_mbarrier(); }
    CK_TILE_FN void wait(int) const { this_architecture_has_no_mbarrier(); }
};

template <class Map, class Coord>
CK_TILE_FN void copy_box(void*, const Map&, const Coord&, int, mbarrier&)
{
    this_architecture_has_no_mbarrier();
}
CK_TILE_FN void leave_box(void*, int) { this_architecture_has_no_mbarrier(); }
class stored_boxes
{
  public:
    template <class Map, class Coord>
    CK_TILE_FN void store(const Map&, const Coord&, const void*)
    {
        this_architecture_has_no_mbarrier();
    }
    CK_TILE_FN void wait() { this_architecture_has_no_mbarrier(); }
};

} // namespace ck_tile
