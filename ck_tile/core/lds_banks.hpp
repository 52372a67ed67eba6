// SPDX-License-Identifier: MIT
// What accesses to LDS cost, by its banks, and the permutation of 16-byte chunks by which they cost least.
//
// LDS moves 128 bytes a cycle, 4 from each of 32 banks. It serves a wave's access in groups of lanes that ask for as much
// together, and a group takes as many cycles as its busiest bank has different words to move. Groups are consecutive lanes; in
// reads of 16 bytes by waves of 64, four consecutive lanes and the four whose numbers are those xor 20 (AMD, documentation of CK
// Tile: LDS bank conflicts).
#pragma once

#include "ck_tile/core/distribution.hpp"

namespace ck_tile
{

enum class lds_direction
{
    read,
    write
};

inline constexpr int lds_cycle_bytes = 128;
inline constexpr int lds_bank_bytes  = 4;
inline constexpr int lds_chunk_bytes = 16; // the most that a lane moves at once
inline constexpr int lds_line_chunks = lds_cycle_bytes / lds_chunk_bytes;

// One access of a wave: bytes of a lane, lanes.
struct lds_access
{
    int bytes, lanes;
    lds_direction direction;

    constexpr int lanes_at_once() const
    {
        const int fit = lds_cycle_bytes / bytes;
        return fit < lanes ? fit : lanes;
    }
    constexpr int groups() const { return lanes / lanes_at_once(); }
    // Lane `i` of a group is lane_of(group, 0) xor what the bits of i stand for.
    constexpr int lane_bit(int bit) const
    {
        return direction == lds_direction::read && bytes == lds_chunk_bytes && lanes == 64 && bit == 2 ? 20 : 1 << bit;
    }
    constexpr int lane_of(int group, int i) const
    {
        int lane = group * lanes_at_once();
        if(lane_bit(2) != 4) // the first of each two groups of eight: 0, 4, 8, 12, 32, ...
            lane = group / 4 * 32 + group % 4 * 4;
        for(int bit = 0; i >> bit != 0; ++bit)
            if((i >> bit & 1) != 0)
                lane ^= lane_bit(bit);
        return lane;
    }
};

// Cycles of accesses, and what no layout could do without.
struct lds_cost
{
    int cycles = 0, least = 0;

    constexpr bool has_conflicts() const { return cycles > least; }
    constexpr lds_cost& operator+=(const lds_cost& more)
    {
        cycles += more.cycles, least += more.least;
        return *this;
    }
};

// What an access costs whose lane l begins at byte_of(l).
template <class ByteOf>
constexpr lds_cost cost_of_access(const lds_access& a, ByteOf&& byte_of)
{
    constexpr int most = 64, banks = lds_cycle_bytes / lds_bank_bytes;
    lds_cost all;
    for(int group = 0; group < a.groups(); ++group)
    {
        // What several lanes ask for moves once.
        int asked[most] = {}, words[most] = {}, in_bank[banks] = {}, addresses = 0, count = 0, busiest = 0;
        const auto is_new = [](int x, int (&known)[most], int& so_far) {
            for(int i = 0; i < so_far; ++i)
                if(known[i] == x)
                    return false;
            known[so_far++] = x;
            return true;
        };
        for(int i = 0; i < a.lanes_at_once(); ++i)
        {
            const int first = byte_of(a.lane_of(group, i)), last = first + a.bytes - 1;
            is_new(first, asked, addresses);
            for(int word = first / lds_bank_bytes; word <= last / lds_bank_bytes; ++word)
                if(is_new(word, words, count))
                    if(const int now = ++in_bank[word % banks]; now > busiest)
                        busiest = now;
        }
        all += {busiest, (addresses * a.bytes + lds_cycle_bytes - 1) / lds_cycle_bytes};
    }
    return all;
}

// Chunks of 16 bytes, eight to a line of 128, change places within their line: the number of each xor the keys of those bits of
// the line's number that are set. It is its own inverse.
struct bank_keys
{
    static constexpr int bits = 8;
    unsigned char key[bits]   = {};

    CK_TILE_FN constexpr int of_line(int line) const
    {
        int all = 0;
        CK_TILE_UNROLL
        for(int i = 0; i < bits; ++i)
            all ^= (line >> i & 1) * key[i];
        return all;
    }
    friend constexpr bool operator==(const bank_keys&, const bank_keys&) = default;
};

namespace detail
{

// A group of lanes meets no bank twice if the bits of their numbers move them by vectors of GF(2) that are independent: the bits
// of an address within a line of 128 bytes, into which keys turn those of the line's number.
struct lane_vectors
{
    int count          = 0;
    int access_bytes   = 1; // of a lane
    int within_line[6] = {};
    int line[6]        = {};

    // Whether those are that depend on no key from that of bit `known` on.
    constexpr bool independent(const bank_keys& keys, int known) const
    {
        int basis[6] = {};
        for(int v = 0; v < count; ++v)
        {
            if(line[v] >> known != 0)
                continue;
            int x = within_line[v] ^ keys.of_line(line[v]) * (lds_chunk_bytes / access_bytes);
            for(int i = 5; x != 0 && i >= 0; --i)
                if((x >> i & 1) != 0)
                {
                    if(basis[i] == 0)
                    {
                        basis[i] = x;
                        break;
                    }
                    x ^= basis[i];
                }
            if(x == 0)
                return false;
        }
        return true;
    }
};

// Of the first group of an access whose lane l begins at byte_of(l), a sum of what the bits of l stand for.
template <class ByteOf>
constexpr lane_vectors vectors_of(const lds_access& a, ByteOf&& byte_of)
{
    lane_vectors all;
    all.access_bytes = a.bytes;
    for(int bit = 0; 1 << bit < a.lanes_at_once(); ++bit)
    {
        const int byte = byte_of(a.lane_bit(bit));
        if(byte == 0)
            continue; // lanes that read the same
        all.within_line[all.count] = byte % lds_cycle_bytes / a.bytes;
        all.line[all.count++]      = byte / lds_cycle_bytes;
    }
    return all;
}

// The first keys, by backtracking, with which neither has conflicts; false where there are none.
constexpr bool find_keys(bank_keys& keys, const lane_vectors& first, const lane_vectors& second)
{
    keys           = {};
    const auto fit = [&](int known) { return first.independent(keys, known) && second.independent(keys, known); };
    int at = 0, tries = 0;           // the key that is being chosen; those before it fit
    constexpr int most_tries = 1000; // where there are keys, a few tries find them
    if(!fit(0))
        return false;
    while(at < bank_keys::bits)
        if(fit(at + 1))
            ++at;
        else
        {
            if(++tries == most_tries)
                return false;
            while(keys.key[at] == lds_line_chunks - 1)
            {
                keys.key[at] = 0;
                if(--at < 0)
                    return false;
            }
            ++keys.key[at];
        }
    return true;
}

} // namespace detail

} // namespace ck_tile
