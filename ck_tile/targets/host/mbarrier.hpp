// SPDX-License-Identifier: MIT
// An mbarrier on the CPU checks what it is for: there every verb is done by all threads before the next one, so whoever waits
// for a phase that has not ended, or no longer is the last one, would wait forever or for the wrong one on a GPU.
#pragma once

#include "ck_tile/targets/host/program_check.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/tensor_map.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

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

    CK_TILE_FN void arrive() { arrive(copying::nothing); }
    CK_TILE_FN void arrive_when_copied() { arrive(copying::lines); }
    CK_TILE_FN void arrive_with_boxes(int) { arrive(copying::boxes); }

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

    // A program that would hang or race on a GPU cannot go on.
    [[noreturn]] static void fail(const char* rule, int phase)
    {
        char sentence[160];
        std::snprintf(sentence, sizeof sentence, "mbarrier: %s (phase %d)", rule, phase);
        tell_checker([&](program_checker& c) { c.fail(sentence); });
        std::fprintf(stderr, "%s\n", sentence);
        std::abort();
    }

  private:
    void arrive(copying with)
    {
        if(arrivals_ == 0)
            fail("an arrival where there is no barrier: init() it", ended_);
        const bool last = --pending_ == 0;
        tell_checker([&](program_checker& c) { c.arrive(this, with, last, ended_); });
        if(last)
        {
            pending_ = arrivals_;
            ++ended_;
        }
    }

    std::uint16_t arrivals_;
    std::uint16_t pending_;
    std::int32_t ended_; // phases
};

namespace detail
{
// Where the element of a tensor is in memory; null, if it does not exist.
inline const std::byte* element_at(const tensor_map& map, const tensor_map::coord& at)
{
    auto* from = static_cast<const std::byte*>(map.data);
    for(int d = 0; d < tensor_map::dims; ++d)
    {
        if(static_cast<unsigned>(at[d]) >= static_cast<unsigned>(map.lengths[d]))
            return nullptr;
        from += at[d] * map.next[d];
    }
    return from;
}

// Where chunks of LDS of a box lie that begin at `offset` where none is permuted.
inline int place_in_box(const tensor_map& map, int offset)
{
    constexpr int chunk = 16; // bytes
    return map.permuted ? offset ^ (offset / 128 % (map.row_bytes() / chunk) * chunk) : offset;
}

// f(offset in LDS, where it is in memory; null: nowhere) for each element of the box that begins at `at`.
template <class F>
void for_each_of_box(const tensor_map& map, const tensor_map::coord& at, F&& f)
{
    int offset          = 0;
    tensor_map::coord i = {};
    for(i[3] = 0; i[3] < map.box[3]; ++i[3])
        for(i[2] = 0; i[2] < map.box[2]; ++i[2])
            for(i[1] = 0; i[1] < map.box[1]; ++i[1])
                for(i[0] = 0; i[0] < map.box[0]; ++i[0], offset += static_cast<int>(map.next[0]))
                    f(place_in_box(map, offset),
                      element_at(map, {at[0] + i[0], at[1] + i[1], at[2] + i[2], at[3] + i[3]}));
}
// The same of a box of windows.
template <class F>
void for_each_of_box(const tensor_map& map, const tensor_map::tap_coord& at, F&& f)
{
    int offset            = 0;
    tensor_map::coord now = at.first;
    for(int window = 0; window < map.box[1]; ++window)
    {
        for(int i = 0; i < map.box[0]; ++i, offset += static_cast<int>(map.next[0]))
            f(place_in_box(map, offset), element_at(map, {now[0] + i, now[1] + at.tap[0], now[2] + at.tap[1], now[3]}));
        int d = 0;
        while(d < 2 && (now[1 + d] += map.stride[d]) > map.lengths[1 + d] - 1 + map.last[d])
            now[1 + d] = map.first[d], ++d;
        now[3] += d == 2;
    }
}
} // namespace detail

// Writes what would be noticed where somebody wants it: bytes of all ones are NaNs.
inline void leave_box(void* to, int bytes)
{
    constexpr int chunk = 16;
    std::byte all_ones[chunk];
    __builtin_memset(all_ones, 0xff, chunk);
    tell_checker([](program_checker& c) { c.begin_boxes(); });
    for(int i = 0; i < bytes; i += chunk)
    {
        std::byte* const there = static_cast<std::byte*>(to) + i;
        check_lds_write(there, all_ones, chunk);
        __builtin_memcpy(there, all_ones, chunk);
    }
    tell_checker([](program_checker& c) { c.end_copies(); });
}

// Element by element, at once: it is the mbarrier that tells the checker when.
template <class Coord>
void copy_box(void* to, const tensor_map& map, const Coord& at, int expected, const mbarrier& barrier)
{
    const auto bytes = static_cast<int>(map.next[0]);
    if(map.of_windows != std::is_same_v<Coord, tensor_map::tap_coord>)
        barrier.fail("a box of windows is copied as one of none, or the reverse: its map says which it is", expected);
    if(expected != map.box_bytes())
        barrier.fail("waiting for other bytes than a box has: say those of its map", expected);
    tell_checker([](program_checker& c) { c.begin_boxes(); });
    constexpr int chunk = 16; // bytes, of whose elements a line of a box has all
    std::byte elements[chunk];
    detail::for_each_of_box(map, at, [&](int lies, const std::byte* from) {
        std::byte* const element = elements + lies % chunk;
        if(from != nullptr)
            __builtin_memcpy(element, from, map.next[0]);
        else
            __builtin_memset(element, 0, map.next[0]);
        if((lies + bytes) % chunk != 0)
            return;
        std::byte* const there = static_cast<std::byte*>(to) + lies / chunk * chunk;
        check_lds_write(there, elements, chunk);
        __builtin_memcpy(there, elements, chunk);
    });
    tell_checker([](program_checker& c) { c.end_copies(); });
}

// As late as it may be: when it is waited for. Until then LDS must not change.
class stored_boxes
{
  public:
    void store(const tensor_map& map, const tensor_map::coord& at, const void* from)
    {
        const auto* const there = static_cast<const std::byte*>(from);
        boxes_.push_back({&map, at, there, {}});
        tell_checker([&](program_checker&) {
            detail::for_each_of_box(map, at, [&](int lies, const std::byte*) {
                check_lds_read(there + lies, static_cast<int>(map.next[0]));
            });
            boxes_.back().seen.assign(there, there + map.box_bytes());
        });
    }
    void wait()
    {
        for(const box& b : boxes_)
        {
            tell_checker([&](program_checker& c) {
                if(!std::equal(b.seen.begin(), b.seen.end(), b.from))
                    c.fail(
                        "a box is overwritten in LDS before it is stored: wait() for it and meet at a barrier before, "
                        "or store to another place");
            });
            detail::for_each_of_box(*b.map, b.at, [&](int lies, const std::byte* to) {
                if(to != nullptr)
                    __builtin_memcpy(const_cast<std::byte*>(to), b.from + lies, b.map->next[0]);
            });
        }
        boxes_.clear();
    }

  private:
    struct box
    {
        const tensor_map* map;
        tensor_map::coord at;
        const std::byte* from;
        std::vector<std::byte> seen; // what LDS had there, for the checker
    };
    std::vector<box> boxes_;
};

} // namespace ck_tile
