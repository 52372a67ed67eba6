// SPDX-License-Identifier: MIT
// The verbs for irregular work of a few numbers, whose count is known when the kernel runs: for_each_index, which spreads it over
// the threads, and reduce_into_lds, which combines terms that are read from anywhere.
#pragma once

#include "ck_tile/core/tile.hpp"
#include "ck_tile/targets/block.hpp"

namespace ck_tile
{

// f(thread, i) for each i below `count`, by some thread of each unit among those that distribution D names.
template <distribution D, class F>
CK_TILE_FN void for_each_index(int count, F&& f)
{
    for_each_thread<D>([&](thread t) {
        for(int i = t.wave * D.lanes() + t.lane; i < count; i += D.waves() * D.lanes())
            f(t, i);
    });
}

// What neighbouring threads read: neighbouring outputs, or neighbouring terms of one output.
enum class neighbours
{
    outputs,
    terms
};

// For each of `outputs` outputs o the combination of its `count` terms read(thread, o, k) by `op`, in each unit's LDS at
// lds_offset: that of output o lies o * (the returned number) elements of T further. There is room for `capacity` elements,
// not fewer than outputs. Threads combine a few terms each, then a few of the results, and so on; the order depends on the
// numbers alone. All threads may read the results when this returns; without terms they are T{}.
template <distribution D, class T, neighbours Side, class Read, class Op>
CK_TILE_FN int reduce_into_lds(const block& in, int lds_offset, int capacity, int outputs, int count, Read&& read,
                               Op&& op)
{
    constexpr int few   = 8;
    const int most      = capacity / outputs;
    const int parts     = ceil_div(count, few) < 1 ? 1 : ceil_div(count, few) < most ? ceil_div(count, few) : most;
    const int of_output = Side == neighbours::outputs ? 1 : parts, of_part = Side == neighbours::outputs ? outputs : 1;
    const auto level = [&](int rest, int terms, auto&& term) {
        for_each_index<D>(outputs * rest, [&](thread t, int i) {
            const int o = Side == neighbours::outputs ? i % outputs : i / rest;
            const int q = Side == neighbours::outputs ? i / outputs : i % rest;
            T sum       = T{};
            for(int k = q; k < terms; k += rest)
                sum = k == q ? term(t, o, k) : op(sum, term(t, o, k));
            in.lds_of<T>(t, lds_offset)[o * of_output + q * of_part] = sum; // only this thread reads there
        });
        in.sync();
    };
    level(parts, count, read);
    for(int rest = parts; rest > 1;)
    {
        const int fewer = ceil_div(rest, few);
        level(fewer, rest,
              [&](thread t, int o, int k) { return in.lds_of<T>(t, lds_offset)[o * of_output + k * of_part]; });
        rest = fewer;
    }
    return of_output;
}

} // namespace ck_tile
