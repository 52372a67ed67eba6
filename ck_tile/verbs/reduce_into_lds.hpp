// SPDX-License-Identifier: MIT
// The verbs for irregular work of a few numbers, whose count is known when the kernel runs: for_each_index, which spreads it over
// the threads, and reduce_into_lds, which combines terms that are read from anywhere.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/exchange.hpp"

namespace ck_tile
{

namespace detail
{
// A thread's number within its unit.
template <distribution D>
CK_TILE_FN int number_in_unit(thread t)
{
    return t.wave * D.lanes() + t.lane;
}
} // namespace detail

// f(thread, i) for each i below `count`, by some thread of each unit among those that distribution D names.
template <distribution D, class F>
CK_TILE_FN void for_each_index(int count, F&& f)
{
    for_each_thread<D>([&](thread t) {
        for(int i = detail::number_in_unit<D>(t); i < count; i += D.waves() * D.lanes())
            f(t, i);
    });
}

namespace detail
{
// Results of `outputs` outputs to to(thread)[o].
template <distribution D, class T, int AtOnce, class To, class Read, class Op>
CK_TILE_FN void reduce_by_lanes(int shift, int outputs, int count, To&& to, Read&& read, Op&& op)
{
    const int lanes = 1 << shift, at_a_time = D.waves() * D.lanes() >> shift;
    for(int first = 0; first < outputs; first += at_a_time)
    {
        per_thread<T, copies_of(D.threads())> sums;
        for_each_thread<D>([&](thread t) {
            const int number = number_in_unit<D>(t), wanted = first + (number >> shift);
            const int o = wanted < outputs ? wanted : outputs - 1;
            T sum       = T{};
            for(int k = number & (lanes - 1); k < count; k += AtOnce * lanes)
            {
                // The reads of a batch do not wait for each other; past the end, the last term is read and left out.
                T next[AtOnce];
                static_for<AtOnce>([&](auto n) {
                    const int term = k + n * lanes;
                    next[n]        = read(t, o, term < count ? term : count - 1);
                });
                static_for<AtOnce>([&](auto n) { sum = op(sum, k + n * lanes < count ? next[n] : T{}); });
            }
            sums[t.copy] = sum;
        });
        for(int mask = 1; mask < lanes; mask *= 2)
        {
            const auto other = exchange_lanes<D>(sums, mask);
            for_each_thread<D>([&](thread t) {
                const T mine = sums[t.copy], theirs = other[t.copy];
                sums[t.copy] = (t.lane & mask) == 0 ? op(mine, theirs) : op(theirs, mine);
            });
        }
        for_each_thread<D>([&](thread t) {
            const int number = number_in_unit<D>(t), o = first + (number >> shift);
            if((number & (lanes - 1)) == 0 && o < outputs)
                to(t)[o] = sums[t.copy];
        });
    }
}
} // namespace detail

// For each of `outputs` outputs o the combination of its `count` terms read(thread, o, k) by `op`, whose neutral element is
// T{}; in each unit's LDS, at lds_offset + o elements of T. There is room for so many, and one more for each wave.
//
// Neighbouring lanes, a power of two of them, share an output: each combines some of its terms, of which it reads AtOnce at a
// time, then they combine theirs. Waves that would be left over share outputs as well. The order depends on the numbers alone.
// All threads may read the results when this returns.
template <distribution D, class T, int AtOnce = 4, class Read, class Op>
CK_TILE_FN void reduce_into_lds(const block& in, int lds_offset, int outputs, int count, Read&& read, Op&& op)
{
    int shift = 0; // lanes that share an output: 2^shift
    while((2 << shift) <= D.lanes() && (outputs << (shift + 1)) <= D.waves() * D.lanes() && (4 << shift) <= count)
        ++shift;
    const int waves = (1 << shift) < D.lanes() ? 1 : D.waves() / outputs; // that share an output
    const auto to   = [&](int more) {
        return [&in, lds_offset, more](thread t) { return in.lds_of<T>(t, lds_offset) + more; };
    };
    if(waves <= 1)
        detail::reduce_by_lanes<D, T, AtOnce>(shift, outputs, count, to(0), read, op);
    else
    {
        const auto some = [&](thread t, int o, int k) {
            const int term = k * waves + o % waves;
            return term < count ? read(t, o / waves, term) : T{};
        };
        detail::reduce_by_lanes<D, T, AtOnce>(shift, outputs * waves, ceil_div(count, waves), to(outputs), some, op);
        in.sync();
        const auto of_wave = [&](thread t, int o, int k) { return to(outputs)(t)[o * waves + k]; };
        detail::reduce_by_lanes<D, T, AtOnce>(0, outputs, waves, to(0), of_wave, op);
    }
    in.sync();
}

} // namespace ck_tile
