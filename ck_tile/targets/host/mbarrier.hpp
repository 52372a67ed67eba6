// SPDX-License-Identifier: MIT
// An mbarrier on the CPU checks what it is for: there every verb is done by all threads before the next one, so whoever waits
// for a phase that has not ended, or no longer is the last one, would wait forever or for the wrong one on a GPU.
#pragma once

#include "ck_tile/targets/host/program_check.hpp"
#include "ck_tile/targets/primitives.hpp"

#include <cstdio>
#include <cstdlib>

namespace ck_tile
{

class mbarrier
{
  public:
    CK_TILE_FN void init(int arrivals)
    {
        arrivals_ = pending_ = static_cast<std::uint16_t>(arrivals);
        ended_               = 0;
        tell_checker([&](program_checker& c) { c.init(this); });
    }

    CK_TILE_FN void invalidate() { init(0); }

    CK_TILE_FN void arrive() { arrive(false); }
    CK_TILE_FN void arrive_when_copied() { arrive(true); }

    CK_TILE_FN void wait(int phase) const
    {
        if(arrivals_ == 0)
            fail("waiting where there is no barrier: init() it", phase);
        if(phase >= ended_)
            fail("waiting for a phase that nobody ends: arrive first, as often as init() says", phase);
        if(phase < ended_ - 1)
            fail("waiting for a phase after the next one has ended too: wait before others arrive again", phase);
        tell_checker([&](program_checker& c) { c.wait(this, phase); });
    }

  private:
    void arrive(bool with_copies)
    {
        if(arrivals_ == 0)
            fail("an arrival where there is no barrier: init() it", ended_);
        const bool last = --pending_ == 0;
        tell_checker([&](program_checker& c) { c.arrive(this, with_copies, last, ended_); });
        if(last)
        {
            pending_ = arrivals_;
            ++ended_;
        }
    }

    // A program that would hang or race on a GPU cannot go on.
    [[noreturn]] static void fail(const char* rule, int phase)
    {
        char sentence[160];
        std::snprintf(sentence, sizeof sentence, "mbarrier: %s (phase %d)", rule, phase);
        tell_checker([&](program_checker& c) { c.fail(sentence); });
        std::fprintf(stderr, "%s\n", sentence);
        std::abort();
    }

    std::uint16_t arrivals_;
    std::uint16_t pending_;
    std::int32_t ended_; // phases
};

} // namespace ck_tile
