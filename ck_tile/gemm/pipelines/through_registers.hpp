// SPDX-License-Identifier: MIT
// The main loop whose operands come from memory into registers, and from there into one or two stages of LDS.
#pragma once

#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/pipelines/traits.hpp"
#include "ck_tile/targets/schedule.hpp"

namespace ck_tile::gemm
{

namespace detail
{
// What a thread issues in one step of the main loop.
template <shape S, distribution A, distribution B>
constexpr step_mix instruction_mix()
{
    constexpr int line  = 16 / bytes_of(S.type());
    constexpr int packs = S.k / S.fragment().k;
    return {.matrix     = S.row_fragments() * S.col_fragments() * packs,
            .lds_reads  = (S.row_fragments() + S.col_fragments()) * packs * S.fragment().a.vecs() / line,
            .lds_writes = A.regs() + B.regs(),
            .loads      = (A.regs() * A.vecs() + B.regs() * B.vecs()) / line};
}

// Of an operand of one step on its way from memory to LDS: each access fills whole registers, and has an offset.
constexpr int waiting_registers(const shape& s, const distribution& loaded)
{
    const int bytes = loaded.vecs() * bytes_of(s.type());
    return loaded.regs() * ((bytes > 4 ? bytes / 4 : 1) + 1);
}

// Whether there are registers for a schedule that reads all fragments of a step first, while the operands of the next one arrive and
// are turned. Accumulators beyond what an instruction can name beside them have registers of their own.
template <shape S, distribution A, distribution B>
constexpr bool can_schedule()
{
    constexpr int nameable = 256;
    const int loads        = S.k / S.k_pack();
    const int all =
        loads * fragment_registers(S) + 2 * (waiting_registers(S, A) + waiting_registers(S, B)) + address_registers;
    const int vgprs = compiled_target().vgprs;
    return vgprs > nameable ? all <= nameable : all + S.accumulators() <= vgprs;
}

// Fragments of a step are loaded two by two, in the order in which products need them: the first two of A and B, and then with every
// chunk of 2 x 2 products two more, of A, then of B. Chunks go down the rows of A first.
template <shape S>
struct chunks_of_products
{
    static constexpr int rows = S.row_fragments() / 2, cols = S.col_fragments() / 2, count = rows * cols;
    static constexpr int pairs = rows + cols - 2; // that are loaded beside chunks
    static constexpr bool of_a(int pair) { return pair < rows - 1; }
    static constexpr int first_of(int pair) { return 2 * (of_a(pair) ? pair + 1 : pair - (rows - 1) + 1); }
    static constexpr fragment_range products(int chunk) { return {chunk % rows * 2, 2, chunk / rows * 2, 2}; }

    // Worth it where a SIMD has one wave, as accumulators fill the registers, so that nothing else hides the latency of LDS; and
    // where one load has the fragments of all of k.
    static constexpr bool wanted = S.inst().operands == operand_source::registers && S.fragment().a.lanes() == 64 &&
                                   S.accumulators() >= 256 && S.k == S.k_pack() && a_fragments(S).regs() == 2 * rows &&
                                   b_fragments(S).regs() == 2 * cols && pairs <= count / 2;
};

// The share of a tile's registers that chunk `i` of `n` moves.
constexpr register_range share_of(const distribution& d, int i, int n)
{
    const int first = d.regs() * i / n;
    return {first, d.regs() * (i + 1) / n - first};
}
} // namespace detail

template <int Stages>
struct through_registers
{
    static constexpr int usual_stages  = Stages;
    static constexpr int copying_waves = 0;
    static constexpr bool persistent   = false;
    static constexpr bool takes_boxes  = false;

    static constexpr int barrier_bytes(int) { return 0; }

    // The operands of the next step wait in registers. Of fragments a compiler holds those of one load from LDS, and where a
    // step has many, of short instructions, those of the next too.
    static constexpr int registers(const shape& s, const distribution& a, const distribution& b)
    {
        const int loads = s.k / s.k_pack() > 2 ? 2 : 1;
        return detail::waiting_registers(s, a) + detail::waiting_registers(s, b) + loads * fragment_registers(s) +
               address_registers;
    }

    // A thread turns its patch in registers.
    static constexpr majorness in_lds(majorness) { return majorness::k; }

    static constexpr violation check(const shape& s, int stages, const target&, const operand_access&)
    {
        if(stages != Stages)
            return {"single_buffer has one stage and double_buffer two", stages, "use 1 or 2, or async_stages"};
        if(s.inst().operands != operand_source::registers)
            return {"single_buffer and double_buffer multiply fragments in registers", s.inst().name,
                    "use async_stages, or an instruction of one wave"};
        return {};
    }

    // One step, chunk by chunk of its products: what is read from LDS, and then what is written there for the next step, goes between
    // them. Reads are done after half of the chunks.
    template <shape S, distribution AToLds, distribution BToLds, class A, class B, class Acc, class Operands>
    static CK_TILE_FN void interleaved_step(const block& in, Acc& acc, const A& a, const B& b, const Operands& ready,
                                            const Operands& to)
    {
        using chunks          = detail::chunks_of_products<S>;
        constexpr int halfway = chunks::count / 2;
        tile<typename Operands::element, a_fragments(S)> a_now;
        tile<typename Operands::element, b_fragments(S)> b_now;
        load_registers<register_range{0, 2}>(a_now, ready.a);
        load_registers<register_range{0, 2}>(b_now, ready.b);
        const auto next_a = load(a);
        const auto next_b = load(b);
        schedule_fence();
        static_for<chunks::count>([&](auto i) {
            if constexpr(i < chunks::pairs)
            {
                constexpr register_range pair = {chunks::first_of(i), 2};
                if constexpr(chunks::of_a(i))
                    load_registers<pair>(a_now, ready.a);
                else
                    load_registers<pair>(b_now, ready.b);
            }
            mma<S, chunks::products(i)>(acc, a_now, b_now);
            if constexpr(i >= halfway)
            {
                store_registers<detail::share_of(AToLds, i - halfway, chunks::count - halfway)>(
                    to.a, rearrange<AToLds>(next_a));
                store_registers<detail::share_of(BToLds, i - halfway, chunks::count - halfway)>(
                    to.b, rearrange<BToLds>(next_b));
            }
            schedule_fence();
            if constexpr(i + 1 == halfway && Stages == 1)
                in.sync();
        });
    }

    template <shape S, int, class A, class B, class Acc>
    static CK_TILE_FN void run(const block& in, Acc& acc, A a, B b, int steps)
    {
        constexpr distribution a_to_lds = along_k(A::layout), b_to_lds = along_k(B::layout);
        using operands_in_lds = stage<S, {majorness::k, a_to_lds}, {majorness::k, b_to_lds}>;
        const auto a_step     = a.template step<1>(S.k);
        const auto b_step     = b.template step<1>(S.k);
        const auto put        = [&](const auto& next_a, const auto& next_b, int stage_at) {
            const operands_in_lds to(in, stage_at);
            ck_tile::store(to.a, rearrange<a_to_lds>(next_a));
            ck_tile::store(to.b, rearrange<b_to_lds>(next_b));
        };
        const auto look_ahead = [&](int step) {
            detail::look_ahead(a, step, S.k);
            detail::look_ahead(b, step, S.k);
        };
        int now = 0, next = Stages == 2 ? constant<operand_bytes(S)>{} : 0; // stages, as byte offsets in LDS
        look_ahead(0);
        in.sync();
        put(load(a), load(b), now);
        in.sync();
        for(int step = 0; step < steps; ++step)
        {
            look_ahead(step);
            a.move(a_step);
            b.move(b_step);
            const operands_in_lds ready(in, now);
            if constexpr(detail::chunks_of_products<S>::wanted)
                interleaved_step<S, a_to_lds, b_to_lds>(in, acc, a, b, ready, operands_in_lds(in, next));
            else
            {
                const auto next_a = load(a);
                const auto next_b = load(b);
                mma<S>(acc, ready.a, ready.b);
                if constexpr(detail::can_schedule<S, A::layout, B::layout>())
                    schedule_step<detail::instruction_mix<S, a_to_lds, b_to_lds>()>();
                schedule_fence(); // what was loaded is not waited for before the products are made
                if constexpr(Stages == 1)
                    in.sync();
                put(next_a, next_b, next);
            }
            in.sync();
            const int read = now;
            now            = next;
            next           = read;
        }
    }
};

template <>
struct pipeline_traits<pipeline::single_buffer> : through_registers<1>
{};
template <>
struct pipeline_traits<pipeline::double_buffer> : through_registers<2>
{};

} // namespace ck_tile::gemm
