// SPDX-License-Identifier: MIT
// The main loop of a matrix product: how loads from memory, LDS traffic and matrix instructions overlap.
//
// Step k multiplies from LDS while the operands of step k+1 come from memory into registers:
//   single_buffer   one stage of operands in LDS; two barriers a step
//   double_buffer   two stages, used in turn: one is written while the other is read; one barrier a step
//   async_stages    three stages or more, four by default; operands are copied to LDS that many steps ahead but two, without a
//                   stop in registers, and a step's products may still be under way in the next; threads meet at an mbarrier:
//                   for targets with asynchronous copies and products
// The operands are windows over (row, k); a window that runs past the end of k reads zeros, which add nothing.
#pragma once

#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/schedule.hpp"
#include "ck_tile/verbs/copy.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/mma.hpp"
#include "ck_tile/verbs/split_barrier.hpp"

namespace ck_tile::gemm
{

enum class pipeline
{
    single_buffer,
    double_buffer,
    async_stages
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::pipeline>
{
    using enum gemm::pipeline;
    static constexpr const char* type                 = "gemm::pipeline";
    static constexpr enumerator<gemm::pipeline> all[] = {
        {single_buffer, "single_buffer"}, {double_buffer, "double_buffer"}, {async_stages, "async_stages"}};
};

namespace ck_tile::gemm
{

// A pipeline and its stages in LDS: 1 and 2 where operands go through registers, 3 or more where they are copied.
struct main_loop
{
    pipeline kind;
    int stages;

    constexpr main_loop(pipeline p)
        : main_loop(p, p == pipeline::async_stages    ? 4
                       : p == pipeline::double_buffer ? 2
                                                      : 1)
    {
    }
    constexpr main_loop(pipeline p, int n) : kind(p), stages(n) {}
};

// An operand [rows, k] in LDS: k contiguous where it goes through registers, rows where it is copied as it lies in memory.
template <pipeline P = pipeline::single_buffer>
constexpr auto operand_in_lds(const shape& s, int rows)
{
    if constexpr(P == pipeline::async_stages)
        return slab_layout{rows, s.k};
    else
        return swizzled(rows, s.k, bytes_of(s.inst().type), 16, 32);
}

constexpr int operand_bytes(const shape& s, pipeline p)
{
    const auto elements = [&](int rows) {
        return p == pipeline::async_stages ? operand_in_lds<pipeline::async_stages>(s, rows).elements()
                                           : operand_in_lds(s, rows).elements();
    };
    return (elements(s.m) + elements(s.n * s.inst().blocks)) * bytes_of(s.inst().type);
}

// The barrier of async_stages.
template <shape S>
using step_barrier = split_barrier<S.waves(), S.inst().a.lanes()>;

constexpr int main_loop_lds_bytes(const shape& s, main_loop p)
{
    return p.stages * operand_bytes(s, p.kind) + (p.kind == pipeline::async_stages ? split_barrier<1, 1>::bytes : 0);
}

template <shape S, pipeline P>
inline constexpr int operand_bytes_of = operand_bytes(S, P);

namespace detail
{
// Lets a window that looks up where it is, work that out in time: at the start, and then before every step at whose end it
// may come to know no more.
template <class Window>
CK_TILE_FN void look_ahead(Window& window, int step, int k)
{
    if constexpr(requires { window.look_ahead(); })
        if(step % (Window::positions / k) == 0)
            window.look_ahead();
}

// What a thread issues in one step of the main loop.
template <shape S, distribution A, distribution B>
constexpr step_mix instruction_mix()
{
    constexpr int line = 16 / bytes_of(S.inst().type);
    return {.matrix     = S.row_fragments() * S.col_fragments() * (S.k / S.inst().k),
            .lds_reads  = (S.row_fragments() + S.col_fragments()) * (S.k / S.inst().k) * S.inst().a.vecs() / line,
            .lds_writes = A.regs() + B.regs(),
            .loads      = (A.regs() * A.vecs() + B.regs() * B.vecs()) / line};
}

// Both operands of one step in LDS, at `byte_offset`.
template <shape S, pipeline P>
struct stage
{
    using element = element_t<S.inst().type>;
    lds_tile<element, operand_in_lds<P>(S, S.m)> a;
    lds_tile<element, operand_in_lds<P>(S, S.n* S.inst().blocks)> b;

    CK_TILE_FN stage(const block& in, int byte_offset)
        : a{in.lds_at<element>(byte_offset)}, b{in.lds_at<element>(byte_offset + decltype(a)::bytes)}
    {
    }
};
} // namespace detail

namespace detail
{
// The pipelines single_buffer and double_buffer.
template <shape S, pipeline P, distribution ALds, distribution BLds, class A, class B, class Acc>
CK_TILE_FN void run_through_registers(const block& in, Acc& acc, A a, B b, int steps)
{
    const auto a_step = a.template step<1>(S.k);
    const auto b_step = b.template step<1>(S.k);
    const auto put    = [&](const auto& next_a, const auto& next_b, int stage_at) {
        const stage<S, P> to(in, stage_at);
        ck_tile::store(to.a, rearrange<ALds>(next_a));
        ck_tile::store(to.b, rearrange<BLds>(next_b));
    };
    const auto look_ahead = [&](int step) {
        detail::look_ahead(a, step, S.k);
        detail::look_ahead(b, step, S.k);
    };
    int now = 0, next = P == pipeline::double_buffer ? operand_bytes_of<S, P> : 0; // stages, as byte offsets in LDS
    look_ahead(0);
    in.sync();
    put(load(a), load(b), now);
    in.sync();
    for(int step = 0; step < steps; ++step)
    {
        look_ahead(step);
        a.move(a_step);
        b.move(b_step);
        const auto next_a = load(a);
        const auto next_b = load(b);
        const stage<S, P> ready(in, now);
        mma<S>(acc, ready.a, ready.b);
        schedule_step<instruction_mix<S, ALds, BLds>()>();
        schedule_fence(); // what was loaded is not waited for before the products are made
        if constexpr(P == pipeline::single_buffer)
            in.sync();
        put(next_a, next_b, next);
        in.sync();
        const int read = now;
        now            = next;
        next           = read;
    }
}

// The pipeline async_stages. In step k, copies of step k + Stages - 2 go where the operands of step k - 2 were. A thread arrives at the
// barrier of step k when what it copied for that step is there, and the products of step k - 2 are made.
template <shape S, int Stages, class A, class B, class Acc>
CK_TILE_FN void run_async_stages(const block& in, Acc& acc, A a, B b, int steps)
{
    constexpr pipeline P = pipeline::async_stages;
    constexpr int stages = Stages, bytes = operand_bytes_of<S, P>;
    constexpr int ahead = stages - 2; // one stage is multiplied, one may be until the barrier
    static_assert(ahead >= 1, "async_stages: copies need a stage of their own");
    const auto a_step = a.template step<1>(S.k);
    const auto b_step = b.template step<1>(S.k);
    int filling       = 0; // byte offset in LDS
    const auto fetch  = [&](int step) {
        if(step < steps)
        {
            const stage<S, P> to(in, filling);
            copy(a, to.a);
            copy(b, to.b);
            a.move(a_step);
            b.move(b_step);
            filling = filling + bytes == stages * bytes ? 0 : filling + bytes;
        }
        commit_copies(); // of one step, even if there are none
    };
    step_barrier<S> step_done(in, stages * bytes);
    look_ahead(a, 0, S.k);
    look_ahead(b, 0, S.k);
    in.sync();
    for(int step = 0; step < ahead; ++step)
        fetch(step);
    for(int step = 0, ready = 0; step < steps; ++step)
    {
        look_ahead(a, step, S.k);
        look_ahead(b, step, S.k);
        wait_for_copies<ahead - 1>();
        wait_for_products<1>();
        step_done.arrive();
        const stage<S, P> operands(in, ready);
        ready = ready + bytes == stages * bytes ? 0 : ready + bytes;
        step_done.wait();
        mma<S>(acc, operands.a, operands.b);
        fetch(step + ahead);
    }
    wait_for_products<0>();
    step_done.close(in);
}
} // namespace detail

// acc += A * B over `steps` steps of S.k. `a_lds` and `b_lds` are the distributions that hold a thread's part of the
// operands when they go to LDS; the windows give each thread the same elements.
template <shape S, main_loop P, distribution ALds, distribution BLds, class A, class B, class Acc>
CK_TILE_FN void run_pipeline(const block& in, Acc& acc, A a, B b, int steps)
{
    if constexpr(P.kind == pipeline::async_stages)
    {
        place_accumulators(acc);
        detail::run_async_stages<S, P.stages>(in, acc, a, b, steps);
    }
    else
        detail::run_through_registers<S, P.kind, ALds, BLds>(in, acc, a, b, steps);
    place_accumulators(acc); // until the epilogue takes them, strip by strip
}

} // namespace ck_tile::gemm
