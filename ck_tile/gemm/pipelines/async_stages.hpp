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
    static constexpr int barrier_bytes = arrive_wait_barrier<1, 1>::bytes; // of LDS

    static constexpr majorness in_lds(majorness in_memory) { return in_memory; }

    static constexpr violation check(const shape& s, int stages, const target& t, const operand_access& access)
    {
        const int line = 16 / bytes_of(s.type());
        if(stages < 3)
            return {"async_stages has 3 stages or more: one is multiplied, one may still be, others are copied", stages,
                    "use 3 or 4, or another pipeline"};
        if(!t.asynchronous())
            return {"async_stages needs a target with asynchronous copies and products", t.name,
                    "use single_buffer or double_buffer"};
        for(const operand_memory& o : {access.a, access.b})
        {
            if(o.vector != line)
                return {"async_stages copies 16 bytes at once", o.vector, "use vectors of 16 bytes"};
            if(o.major == majorness::mn && !s.inst().takes_mn_major)
                return {
                    "async_stages leaves operands as they lie, and the instruction takes those whose k is contiguous",
                    s.inst().name, "use a wgmma, or single_buffer or double_buffer, which turn them"};
            if(o.major == majorness::k && s.inst().operands == operand_source::lds && s.k % 64 != 0)
                return {"an instruction that takes operands from LDS reads k in lines of 128 bytes", s.k,
                        "use a block.k that is a multiple of 64"};
        }
        return {};
    }

    static constexpr int registers(const shape& s, const distribution&, const distribution&)
    {
        const bool fragments = s.inst().operands == operand_source::registers;
        return address_registers + (fragments ? fragment_registers(s) : 0);
    }

    // In step k, copies of step k + Stages - 2 go where the operands of step k - 2 were. A thread arrives at the barrier of step
    // k when what it copied for that step is there, and the products of step k - 2 are made.
    template <shape S, int Stages, class A, class B, class Acc>
    static CK_TILE_FN void run(const block& in, Acc& acc, A a, B b, int steps)
    {
        using operands_in_lds = stage<S, {major_of(A::layout), A::layout}, {major_of(B::layout), B::layout}>;
        constexpr int bytes   = operand_bytes(S);
        constexpr int ahead   = Stages - 2; // one stage is multiplied, one may be until the barrier
        static_assert(ahead >= 1, "async_stages: copies need a stage of their own");
        const auto a_step = a.template step<1>(S.k);
        const auto b_step = b.template step<1>(S.k);
        int filling       = 0; // byte offset in LDS
        const auto fetch  = [&](int step) {
            if(step < steps)
            {
                const operands_in_lds to(in, filling);
                copy(a, to.a);
                copy(b, to.b);
                a.move(a_step);
                b.move(b_step);
                filling = filling + bytes == Stages * bytes ? 0 : filling + bytes;
            }
            commit_copies(); // of one step, even if there are none
        };
        pin_accumulators(acc);
        arrive_wait_barrier<S.waves(), S.fragment().a.lanes()> step_done(in, Stages * bytes);
        detail::look_ahead(a, 0, S.k);
        detail::look_ahead(b, 0, S.k);
        in.sync();
        for(int step = 0; step < ahead; ++step)
            fetch(step);
        for(int step = 0, ready = 0; step < steps; ++step)
        {
            detail::look_ahead(a, step, S.k);
            detail::look_ahead(b, step, S.k);
            wait_for_copies<ahead - 1>();
            wait_for_products<1>();
            step_done.arrive();
            const operands_in_lds operands(in, ready);
            ready = ready + bytes == Stages * bytes ? 0 : ready + bytes;
            step_done.wait();
            mma<S>(acc, operands.a, operands.b);
            fetch(step + ahead);
        }
        wait_for_products<0>();
        step_done.close(in);
    }
};

} // namespace ck_tile::gemm
