// SPDX-License-Identifier: MIT
// The verbs for irregular work of a few numbers, whose count is known when the kernel runs: for_each_index, which spreads it over
// the threads, and reduce_into_lds, which combines terms that are read from anywhere.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/exchange.hpp"

#include <cstddef>
#include <type_traits>

namespace ck_tile
{

namespace detail
{
// A thread's number within its workgroup.
template <distribution D>
CK_TILE_FN int number_in_workgroup(thread t)
{
    return t.wave * D.lanes() + t.lane;
}
} // namespace detail

// f(thread, i) for each i below `count`, by some thread of each workgroup among those that distribution D names.
template <distribution D, class F>
CK_TILE_FN void for_each_index(int count, F&& f)
{
    for_each_thread<D>([&](thread t) {
        CK_TILE_KEEP_LOOP // few turns: unrolled, it would take the registers of tiles that are being loaded
            for(int i = detail::number_in_workgroup<D>(t); i < count; i += D.waves() * D.lanes()) f(t, i);
    });
}

// For each of `outputs` outputs o the combination of its `count` terms read(thread, o, k) by `op`, whose neutral element is
// T{}; in each workgroup's LDS, at lds_offset + o elements of T. There is room for so many, and one more for each wave.
//
// Neighbouring lanes, a power of two of them, share an output: each combines some of its terms, of which it reads AtOnce at a
// time, then they combine theirs. Waves that would be left over share outputs as well. The order depends on the numbers alone.
// All threads may read the results when this returns.
template <distribution D, class T, int AtOnce = 4, class Read, class Op>
CK_TILE_FN void reduce_into_lds(const block& in, int lds_offset, int outputs, int count, Read&& read, Op&& op,
                                source_line line = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("reduce_into_lds", line);
    int lane_bits = 0, wave_bits = 0; // 2^: lanes, and waves, that share an output
    while((2 << lane_bits) <= D.lanes() && (outputs << (lane_bits + 1)) <= D.waves() * D.lanes() &&
          (4 << lane_bits) <= count)
        ++lane_bits;
    if((1 << lane_bits) == D.lanes())
        while((outputs << (wave_bits + 1)) <= D.waves() && AtOnce * D.lanes() << wave_bits < count)
            ++wave_bits;

    // A part of an output for each of its waves, at lds_offset, or after the results if there are several.
    const int partials = outputs << wave_bits, partials_at = wave_bits > 0 ? outputs : 0;
    const int lanes = 1 << lane_bits, terms_apart = lanes << wave_bits;
    CK_TILE_KEEP_LOOP
    for(int first = 0; first < partials; first += D.waves() * D.lanes() >> lane_bits)
    {
        bool needed = false; // is a wave held here, for an output
        for_each_thread<D>([&](thread t) { needed |= first + (t.wave * D.lanes() >> lane_bits) < partials; });
        if(!needed)
            break;
        detail::per_thread<T, copies_of(D.threads())> sums;
        for_each_thread<D>([&](thread t) {
            const int number = detail::number_in_workgroup<D>(t), wanted = first + (number >> lane_bits);
            const int partial = wanted < partials ? wanted : partials - 1, o = partial >> wave_bits;
            T sum = T{};
            CK_TILE_KEEP_LOOP
            for(int k = (partial & ((1 << wave_bits) - 1)) << lane_bits | (number & (lanes - 1)); k < count;
                k += AtOnce * terms_apart)
            {
                // The reads of a batch do not wait for each other; past the end, the last term is read and left out.
                T next[AtOnce];
                static_for<AtOnce>([&](auto n) {
                    const int term = k + n * terms_apart;
                    next[n]        = read(t, o, term < count ? term : count - 1);
                });
                static_for<AtOnce>([&](auto n) { sum = op(sum, k + n * terms_apart < count ? next[n] : T{}); });
            }
            sums[t.copy] = sum;
        });
        CK_TILE_KEEP_LOOP
        for(int mask = 1; mask < lanes; mask *= 2)
        {
            const auto other = exchange_lanes<D>(sums, mask);
            for_each_thread<D>([&](thread t) {
                const T mine = sums[t.copy], theirs = other[t.copy];
                sums[t.copy] = (t.lane & mask) == 0 ? op(mine, theirs) : op(theirs, mine);
            });
        }
        for_each_thread<D>([&](thread t) {
            const int number = detail::number_in_workgroup<D>(t), partial = first + (number >> lane_bits);
            if((number & (lanes - 1)) == 0 && partial < partials)
                in.lds_of<T>(t, lds_offset)[partials_at + partial] = sums[t.copy];
        });
    }
    in.sync();

    if(wave_bits > 0)
    {
        for_each_index<D>(outputs, [&](thread t, int o) {
            const auto parts_of_o = in.lds_of<T>(t, lds_offset) + partials_at + (o << wave_bits);
            T sum                 = parts_of_o[0];
            CK_TILE_KEEP_LOOP
            for(int wave = 1; wave < 1 << wave_bits; ++wave)
                sum = op(sum, parts_of_o[wave]);
            in.lds_of<T>(t, lds_offset)[o] = sum;
        });
        in.sync();
    }
}

// The same in a plan's member lds_memory<T[N]>: reduce_into_lds<D, &plan::sums>(in, outputs, count, read, op).
template <distribution D, auto Member, int AtOnce = 4, class Read, class Op>
CK_TILE_FN void reduce_into_lds(const block& in, int outputs, int count, Read&& read, Op&& op,
                                source_line line = source_line::current())
{
    const auto sums = in.template lds_at<Member>();
    tell_checker([&](auto& c) {
        if(outputs + D.waves() > sums.length)
            c.fail(
                "the array of reduce_into_lds() has room for the outputs and one more for each wave: make it longer");
    });
    const auto* const bytes = reinterpret_cast<const std::byte*>(sums.data);
    reduce_into_lds<D, std::remove_pointer_t<decltype(sums.data)>, AtOnce>(in, static_cast<int>(bytes - in.lds),
                                                                           outputs, count, read, op, line);
}

} // namespace ck_tile
