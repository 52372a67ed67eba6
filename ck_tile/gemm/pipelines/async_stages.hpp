// SPDX-License-Identifier: MIT
// The main loop whose operands are copied to LDS several steps ahead, as they lie in memory, and multiplied from there.
#pragma once

#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/pipelines/traits.hpp"
#include "ck_tile/verbs/arrive_wait_barrier.hpp"
#include "ck_tile/verbs/copy.hpp"

namespace ck_tile::gemm
{

template <>
struct pipeline_traits<pipeline::async_stages>
{
    static constexpr int usual_stages  = 4;
    static constexpr int copying_waves = 0;
    static constexpr bool persistent   = false;
    static constexpr bool takes_boxes  = false;

    static constexpr int barrier_bytes(int) { return arrive_wait_barrier<1, 1>::bytes; }

    static constexpr majorness in_lds(majorness in_memory) { return in_memory; }

    static constexpr violation check(const shape& s, int stages, const target& t, const operand_access& access)
    {
        if(stages < 3)
            return {"async_stages has 3 stages or more: one is multiplied, one may still be, others are copied", stages,
                    "use 3 or 4, or another pipeline"};
        return check_copied_operands(pipeline::async_stages, s, t, access);
    }

    static constexpr int registers(const shape& s, const distribution&, const distribution&)
    {
        const bool fragments = s.inst().operands == operand_source::registers;
        return address_registers + (fragments ? fragment_registers(s) : 0);
    }

    // In a step, the copies of the one that comes Stages - 2 later go where the operands were that were multiplied two before. A thread
    // arrives at a step's barrier when what it copied for it is there, and the products of the step before the last are made.
    template <shape S, int Stages, class A, class B, class Acc>
    static CK_TILE_FN void run(const block& in, Acc& acc, A a, B b, int steps)
    {
        using operands_in_lds = stage<S, {major_of(A::layout), A::layout}, {major_of(B::layout), B::layout}>;
        constexpr int bytes = operand_bytes(S), ahead = Stages - 2;
        static_assert(ahead >= 1, "async_stages: copies need a stage of their own");
        // What a step looks up, other threads may read after its barrier is over, at which they arrive before that: in the next step.
        static_assert(detail::looks_ahead_of<A, S.k, ahead> && detail::looks_ahead_of<B, S.k, ahead>,
                      "async_stages: fewer steps are copied ahead than an operand looks up at once");

        arrive_wait_barrier<S.waves(), S.fragment().a.lanes()> step_done(in, Stages * bytes);
        const auto a_step   = a.template step<1>(S.k);
        const auto b_step   = b.template step<1>(S.k);
        const int first_row = first_row_of_wave<S>();
        int filling = 0, ready = 0; // byte offsets in LDS
        const auto advance = [](int& stage_at) {
            stage_at = stage_at + bytes == Stages * bytes ? 0 : stage_at + bytes;
        };
        const auto fetch = [&](int step) {
            if(step < steps) [[clang::always_inline]]
            {
                const operands_in_lds to(in, filling);
                copy(a, to.a);
                copy(b, to.b);
                a.move(a_step);
                b.move(b_step);
            }
            advance(filling);
            commit_copies(); // of one step, even if there are none
        };
        const auto look_ahead = [&](int step) {
            detail::look_ahead(a, step, S.k);
            detail::look_ahead(b, step, S.k);
        };
        look_ahead(0);
        in.sync();
        look_ahead(0);
        for(int step = 0; step < ahead; ++step)
            fetch(step);
        for(int step = 0; step < steps; ++step)
        {
            wait_for_copies<ahead - 1>();
            if constexpr(S.inst().operands == operand_source::lds)
                see_copies();
            wait_for_products<1>();
            step_done.arrive();
            if(step > 0)
                look_ahead(step);
            const operands_in_lds operands(in, ready);
            advance(ready);
            step_done.wait();
            mma<S>(acc, operands.a, operands.b, first_row);
            [[clang::always_inline]] fetch(step + ahead);
        }
        wait_for_products<0>();
        step_done.close(in);
    }
};

} // namespace ck_tile::gemm
