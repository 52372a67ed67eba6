// SPDX-License-Identifier: MIT
// An mbarrier: a barrier in LDS at which some arrive without waiting, and for which others wait.
//
// It counts arrivals. With the last that it expects, a phase ends and the next one begins; phases are numbered from 0, and
// phase -1 has ended before anyone arrives.
#pragma once

#if defined(__NVPTX__)
#include "ck_tile/targets/sm90/mbarrier.hpp"
#else
#include "ck_tile/targets/host/mbarrier.hpp"
#endif

// Each target defines the class mbarrier, of 8 bytes, whose functions one thread calls
//   init(arrivals)  expects so many in a phase; other threads may use it after a barrier of the block
//   invalidate()    its memory becomes free for something else
//   arrive()        what this thread has read and written happened before the phase ended
//   wait(phase)     until that phase has ended; the next one must not end before all have waited
