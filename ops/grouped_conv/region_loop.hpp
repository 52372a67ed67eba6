// SPDX-License-Identifier: MIT
// The main loop of kernels that make one region of an image after the other, of what is in LDS: copies of later regions go on meanwhile.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/box_copy.hpp"
#include "ck_tile/verbs/copy.hpp"

namespace ck_tile::conv
{

// compute(where, stage) for the regions first, first + stride, ... below `end`, of which each has been copied to LDS, in one of so many
// stages. All threads meet before the first, so that it may read what they have stored to LDS before. Of the copies:
//   move(number)                               to a region, and says where that is
//   begin<Async>(stage), finish<Async>(stage)  copy it, before and after another one is computed: see gemm::operand_copy
// Of one stage, copies wait in registers while another region is computed; or, not `Ahead`, they begin when that has been: other blocks compute
// meanwhile, and registers are theirs.
// Products: compute(where, stage, meanwhile) has instructions read LDS by themselves, and calls meanwhile(), which begins to copy a later region,
// once they are under way.
// On the CPU, the loop is the one for asynchronous copies if the program's architecture has them, so that the checker follows its waits.
template <architecture Arch, int Stages, bool Ahead = true, bool Products = false, class Copies, class F>
CK_TILE_FN void for_each_region(const block& in, Copies& copies, int first, int end, int stride, F&& compute)
{
    constexpr bool async = on_device ? has_async_copies : facts(Arch).copy_to_lds == lds_copy::bytes_16_async;
    int stage            = 0;
    if constexpr(!Ahead)
    {
        static_assert(Stages == 1, "for_each_region: copies that are not ahead have one stage");
        for(int number = first; number < end; number += stride)
        {
            if(number > first)
                in.sync(); // before it is overwritten
            const auto here = copies.move(number);
            copies.template begin<false>(stage);
            copies.template finish<false>(stage);
            in.sync();
            [[clang::always_inline]] compute(here, stage);
        }
    }
    else if constexpr(async)
    {
        static_assert(Stages >= 2, "for_each_region: one stage is copied to while another one is read");
        constexpr int ahead = Stages - 1;
        decltype(copies.move(0)) coming[ahead];
        const auto begin_copy = [&](int number, int to) {
            if(number < end)
            {
                coming[ahead - 1] = copies.move(number);
                copies.template begin<true>(to);
            }
            commit_copies(); // of one region, even if there is none
        };
        const auto finish_copy = [&](int number, int to) {
            if(number < end)
                copies.template finish<true>(to);
        };
        const auto next = [&] {
            const auto here = coming[0];
            static_for<ahead - 1>([&](auto i) { coming[i] = coming[i + 1]; });
            return here;
        };
        for(int i = 0; i < ahead; ++i)
        {
            next();
            [[clang::always_inline]] begin_copy(first + i * stride, i);
            [[clang::always_inline]] finish_copy(first + i * stride, i);
        }
        for(int number = first; number < end; number += stride)
        {
            wait_for_copies<ahead - 1>();
            if constexpr(Products)
                see_copies();
            in.sync(); // and nobody reads any more what is overwritten now
            const auto here         = next();
            const int coming_number = number + ahead * stride, to = stage == 0 ? ahead : stage - 1;
            if constexpr(Products) [[clang::always_inline]]
                compute(here, stage, [&]() __attribute__((always_inline)) { begin_copy(coming_number, to); });
            else
            {
                [[clang::always_inline]] begin_copy(coming_number, to);
                [[clang::always_inline]] compute(here, stage);
            }
            [[clang::always_inline]] finish_copy(coming_number, to);
            stage = stage + 1 == Stages ? 0 : stage + 1;
        }
    }
    else
    {
        if(first >= end)
            return;
        auto coming = copies.move(first);
        copies.template begin<false>(stage);
        for(int number = first; number < end; number += stride)
        {
            copies.template finish<false>(stage);
            in.sync();
            const auto here = coming;
            if(number + stride < end)
            {
                coming = copies.move(number + stride);
                copies.template begin<false>(Stages == 1 ? 0 : 1 - stage);
            }
            [[clang::always_inline]] compute(here, stage);
            if constexpr(Stages == 1)
                in.sync(); // before it is overwritten
            else
                stage = 1 - stage;
        }
    }
}

// The same of halos that come in boxes, one barrier for each stage from byte `BarriersAt` of LDS on:
//   copy(number, stage, box)      box() copies: see box_barrier
//   compute(number, stage)        reads what has come
//   finish(number)                when all threads have met since
template <int Stages, int Waves, int Lanes, int BarriersAt>
CK_TILE_FN void for_each_region_of_boxes(const block& in, int first, int end, int stride, auto&& copy, auto&& compute,
                                         auto&& finish)
{
    using barrier     = box_barrier<Waves, Lanes>;
    const auto copied = [&](int stage) { return barrier(in.lds_at<mbarrier>(BarriersAt + stage * barrier::bytes)); };
    // Not a call, which what it is given would have to lie in memory for.
    const auto begin_copy = [&](int number, int stage) __attribute__((always_inline)) {
        if(number < end)
            copied(stage).copy(
                [&](auto box) __attribute__((always_inline)) { [[clang::always_inline]] copy(number, stage, box); });
    };
    static_for<Stages>([&](auto stage) { copied(stage).init(); });
    in.sync();
    static_for<Stages>([&](auto stage) { begin_copy(first + stage * stride, stage); });
    int stage = 0, turn = 0;
    for(int number = first; number < end; number += stride)
    {
        copied(stage).wait(turn);
        [[clang::always_inline]] compute(number, stage);
        in.sync();
        [[clang::always_inline]] finish(number);
        begin_copy(number + Stages * stride, stage);
        if(++stage == Stages)
            stage = 0, ++turn;
    }
    static_for<Stages>([&](auto stage) { copied(stage).end(); });
}

} // namespace ck_tile::conv
