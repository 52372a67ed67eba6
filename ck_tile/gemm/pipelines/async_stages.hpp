// SPDX-License-Identifier: MIT
// The main loop whose operands are copied to LDS several steps ahead, as they lie in memory, and multiplied from there.
#pragma once

#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/pipelines/traits.hpp"
#include "ck_tile/verbs/arrive_wait_barrier.hpp"
#include "ck_tile/verbs/copy.hpp"

namespace ck_tile::gemm
{

namespace detail
{
// The operands of one step after the other, of one tile after the other.
template <shape S, class Tiles>
class operand_stream
{
    using coord     = decltype(std::declval<const Tiles&>().at(0));
    using a_operand = decltype(std::declval<const Tiles&>().a(std::declval<const coord&>()));
    using b_operand = decltype(std::declval<const Tiles&>().b(std::declval<const coord&>()));

  public:
    CK_TILE_FN operand_stream(const block& in, const Tiles& tiles, int first, int end, int stride)
        : in_(in), tiles_(tiles), number_(first), end_(end), stride_(stride), now_(operands_of(first))
    {
        begin();
    }

    // Steps of tile `number` that have not been copied, if that is the one whose turn it is.
    CK_TILE_FN int left(int number) const { return number == number_ ? now_.steps - step_ : 0; }

    // Whether there is one more step, of this tile or of another.
    CK_TILE_FN bool find()
    {
        while(step_ == now_.steps)
        {
            if(end_ - number_ <= stride_)
                return false;
            number_ += stride_;
            now_ = operands_of(number_);
            begin();
        }
        return true;
    }

    // Copies the next step, of which there is one.
    CK_TILE_FN void copy(const auto& to)
    {
        if(step_ > 0)
        {
            look_ahead(now_.a, step_, S.k);
            look_ahead(now_.b, step_, S.k);
        }
        ck_tile::copy(now_.a, to.a);
        ck_tile::copy(now_.b, to.b);
        now_.a.move(now_.a_step);
        now_.b.move(now_.b_step);
        ++step_;
    }

  private:
    struct operands
    {
        a_operand a;
        b_operand b;
        decltype(std::declval<const a_operand&>().template step<1>(1)) a_step;
        decltype(std::declval<const b_operand&>().template step<1>(1)) b_step;
        int steps;
    };

    CK_TILE_FN operands operands_of(int number) const
    {
        const coord here  = tiles_.at(number);
        const a_operand a = tiles_.a(here);
        const b_operand b = tiles_.b(here);
        return {a, b, a.template step<1>(S.k), b.template step<1>(S.k), tiles_.steps(here)};
    }

    // Operands that look up where they are have a table to fill, when others have done with the last tile's.
    CK_TILE_FN void begin()
    {
        step_ = 0;
        if constexpr(looks_ahead<a_operand> || looks_ahead<b_operand>)
        {
            in_.sync();
            for(int half = 0; half < 2; ++half)
            {
                look_ahead(now_.a, 0, S.k);
                look_ahead(now_.b, 0, S.k);
            }
            in_.sync();
        }
    }

    const block& in_;
    const Tiles& tiles_;
    int number_, end_, stride_, step_ = 0;
    operands now_;
};
} // namespace detail

template <>
struct pipeline_traits<pipeline::async_stages>
{
    static constexpr int usual_stages  = 4;
    static constexpr bool persistent   = true;
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

    // Steps of all tiles follow each other. In one, the copies of the one that comes Stages - 2 later go where the operands were that
    // were multiplied two before. A thread arrives at a step's barrier when what it copied for it is there, and the products of the
    // step before the last are made.
    template <shape S, int Stages, class Tiles>
    static CK_TILE_FN void run_tiles(const block& in, const Tiles& tiles, int first, int end, int stride)
    {
        using coord           = decltype(tiles.at(first));
        using a_operand       = decltype(tiles.a(std::declval<const coord&>()));
        using b_operand       = decltype(tiles.b(std::declval<const coord&>()));
        using operands_in_lds = stage<S, {major_of(a_operand::layout), a_operand::layout},
                                      {major_of(b_operand::layout), b_operand::layout}>;
        constexpr int bytes = operand_bytes(S), ahead = Stages - 2;
        static_assert(ahead >= 1, "async_stages: copies need a stage of their own");

        arrive_wait_barrier<S.waves(), S.fragment().a.lanes()> step_done(in, Stages * bytes);
        in.sync();
        detail::operand_stream<S, Tiles> stream(in, tiles, first, end, stride);
        int filling = 0, ready = 0; // byte offsets in LDS
        const auto advance = [](int& stage_at) {
            stage_at = stage_at + bytes == Stages * bytes ? 0 : stage_at + bytes;
        };
        const auto fetch = [&] {
            stream.copy(operands_in_lds(in, filling));
            advance(filling);
        };
        const auto fetch_any = [&] {
            if(stream.find()) [[clang::always_inline]]
                fetch();
            commit_copies(); // of one step, even if there are none
        };
        const auto multiply = [&](auto& acc) {
            wait_for_copies<ahead - 1>();
            wait_for_products<1>();
            step_done.arrive();
            const operands_in_lds operands(in, ready);
            advance(ready);
            step_done.wait();
            mma<S>(acc, operands.a, operands.b);
        };
        for(int step = 0; step < ahead; ++step) [[clang::always_inline]]
            fetch_any();
        for(int number = first; number < end; number += stride)
        {
            const coord here = tiles.at(number);
            auto acc         = accumulators<S>();
            int steps        = tiles.steps(here);
            // While this tile's own operands are copied, what they are worked out from stays.
            for(int left = stream.left(number); left > 0; --left, --steps)
            {
                [[clang::always_inline]] multiply(acc);
                [[clang::always_inline]] fetch();
                commit_copies();
            }
            for(; steps > 0; --steps)
            {
                [[clang::always_inline]] multiply(acc);
                [[clang::always_inline]] fetch_any();
            }
            wait_for_products<0>();
            pin_accumulators(acc);
            tiles.store(here, acc);
        }
        step_done.close(in);
    }

    // One tile.
    template <shape S, int Stages, class A, class B, class Acc>
    static CK_TILE_FN void run(const block& in, Acc& acc, const A& a, const B& b, int steps)
    {
        struct
        {
            const A& first;
            const B& second;
            int count;
            Acc& sum;

            CK_TILE_FN int at(int number) const { return number; }
            CK_TILE_FN int steps(int) const { return count; }
            CK_TILE_FN A a(int) const { return first; }
            CK_TILE_FN B b(int) const { return second; }
            CK_TILE_FN void store(int, const Acc& product) const
            {
                sum = map([](float x, float y) { return x + y; }, sum, product);
            }
        } const one = {a, b, steps, acc};
        run_tiles<S, Stages>(in, one, 0, 1, 1);
    }
};

} // namespace ck_tile::gemm
