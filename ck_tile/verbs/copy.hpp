// SPDX-License-Identifier: MIT
// The verb copy: to LDS, from memory without a stop in registers where the target can.
//
// Copies join a batch until commit_copies() closes it; wait_for_copies<N>() waits until all but the last N batches of this
// thread have arrived. Then comes a barrier. Where copies are not asynchronous, they are done when copy() returns.
#pragma once

#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/verbs/load_store.hpp"

namespace ck_tile
{

// The tile that load(from) gives, to LDS; elements that do not exist are zero. From a window, vectors of 16 bytes, contiguous in
// LDS too.
template <class From, class T, auto Layout>
CK_TILE_FN void copy(const From& from, const lds_tile<T, Layout>& to, source_line line = source_line::current())
{
    constexpr distribution D = From::layout;
    [[maybe_unused]] const verb_scope verb("copy", line);
    if constexpr(looks_at_memory<From>)
    {
        static_assert(detail::accessed_by<From> == D,
                      "copy: what repeats is loaded once, and stored: store(to, load(from))");
        static_assert(lds_run(D, Layout, int(sizeof(T))) * sizeof(T) == 16 && D.vecs() * sizeof(T) == 16,
                      "copy: a vector must be 16 bytes, contiguous in memory and in LDS");
    }
    if constexpr(has_async_copies && looks_at_memory<From>)
        for_each_thread<D>([&](thread t) {
            T* line[D.regs()];
            detail::each_lds_access<D, detail::lds_index<Layout>{}, true, all_registers(D)>(
                to, {}, t, [&](int r, int, T* at) { line[r] = at; });
            from.each_access(t, [&](auto r, const auto& where) { copy_line(line[r], from.memory(), where); });
        });
    else
    {
        if constexpr(looks_at_memory<From>)
            tell_checker([](auto& c) { c.begin_copies(); });
        store(to, load(from));
        if constexpr(looks_at_memory<From>)
            tell_checker([](auto& c) { c.end_copies(); });
    }
}

} // namespace ck_tile
