// SPDX-License-Identifier: MIT
// The main loop of a product whose A the block computes: from something else, as a convolution is from its input, step by step into LDS,
// where it is multiplied by B, or into registers that a product takes it from. Products of a step go on while the next one is computed.
//
// What A is computed from, its source, and B are copied to LDS some steps ahead, those of the next tile too. Where LDS holds all steps
// of A, they are computed once for all columns of the result; else it has the columns of one tile. A B whose steps LDS has stages for, the
// same ones for each tile, is copied once.
#pragma once

#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/operand.hpp"
#include "ck_tile/verbs/box_copy.hpp"
#include "ck_tile/verbs/copy.hpp"

namespace ck_tile::gemm
{

// What such a main loop has in LDS: `kept` steps of A, which the epilogue overwrites if they are those of one tile alone, or none, if A stays
// in registers; as many stages of the source as copies are ahead, and one more of B.
struct computed_loop
{
    int ahead;
    int kept;
    int source_bytes;   // of a stage, a multiple of 16
    int epilogue_bytes; // that it has at epilogue_at()
    bool boxes = false; // whether the source is copied in boxes, for which each stage has a barrier

    static constexpr int ring = 2; // steps of A that are kept where each is multiplied once
    constexpr bool in_registers() const { return kept == 0; }
    constexpr bool keeps_all() const { return kept > ring; }

    constexpr int a_bytes(const shape& s) const
    {
        return operand_elements(s.instruction, s.m, s.k) * bytes_of(s.type());
    }
    constexpr int b_bytes(const shape& s) const
    {
        return operand_elements(s.instruction, s.n, s.k) * bytes_of(s.type());
    }
    constexpr int b_at(const shape& s) const
    {
        const int a = kept * a_bytes(s);
        return keeps_all() || a > epilogue_bytes ? a : ceil_div(epilogue_bytes, 1024) * 1024;
    }
    constexpr int source_at(const shape& s) const { return b_at(s) + (ahead + 1) * b_bytes(s); }
    constexpr int epilogue_at(const shape& s) const { return keeps_all() ? source_at(s) + ahead * source_bytes : 0; }
    constexpr int barriers_at(const shape& s) const
    {
        return source_at(s) + ahead * source_bytes + (keeps_all() ? epilogue_bytes : 0);
    }
    constexpr int lds_bytes(const shape& s) const
    {
        return barriers_at(s) + (boxes ? ahead * box_barrier<1, 1>::bytes : 0);
    }
};

// An operand that is copied to LDS in two halves: where copies are not asynchronous, what begin() loads waits in registers until end()
// stores it. Then it goes on by so many elements along dimension `Along`.
template <operand Operand, int Along = 1>
class operand_copy
{
    static constexpr distribution loaded = Operand::layout, stored = along_k(loaded);
    using element = std::remove_const_t<typename Operand::element>;
    static constexpr bool whole_lines =
                              loaded.vecs() * sizeof(element) == 16 && loaded.vector_dim() == stored.vector_dim(),
                          async = has_async_copies && whole_lines;
    struct nothing
    {};

  public:
    CK_TILE_FN operand_copy(const Operand& from, int step) : from_(from), step_(from_.template step<Along>(step)) {}

    CK_TILE_FN void begin()
    {
        if constexpr(!async)
            waiting_ = load(from_);
    }
    // And goes on to the next step.
    template <auto Layout>
    CK_TILE_FN void end(const lds_tile<element, Layout>& to)
    {
        if constexpr(async)
            copy(from_, to);
        else
        {
            if constexpr(whole_lines) // asynchronous, for all that the checker knows, if the program's architecture can
                tell_checker([](auto& c) { c.begin_copies(); });
            store(to, rearrange<stored>(waiting_));
            if constexpr(whole_lines)
                tell_checker([](auto& c) { c.end_copies(); });
        }
        from_.move(step_);
    }

    // The halves where other work is between them. What is asynchronous, where the architecture copies so, is the first one: it goes on meanwhile.
    template <bool Async, auto Layout>
    CK_TILE_FN void begin(const lds_tile<element, Layout>& to)
    {
        begin();
        if constexpr(Async && whole_lines)
            end(to);
    }
    template <bool Async, auto Layout>
    CK_TILE_FN void finish(const lds_tile<element, Layout>& to)
    {
        if constexpr(!Async || !whole_lines)
            end(to);
    }

    CK_TILE_FN Operand& operand() { return from_; }

  private:
    Operand from_;
    decltype(std::declval<const Operand&>().template step<Along>(1)) step_;
    [[no_unique_address]] std::conditional_t<async, nothing, tile<element, loaded>> waiting_;
};

namespace detail
{
// Copies of the source and of B, step after step of one tile after the other.
template <shape S, computed_loop L, class Tiles>
class computed_stream
{
    using coord  = decltype(std::declval<const Tiles&>().at(0));
    using source = decltype(std::declval<const Tiles&>().source());
    using b      = decltype(std::declval<const Tiles&>().b(std::declval<const coord&>(), 0));

  public:
    using element  = element_t<S.type()>;
    using b_in_lds = lds_tile<element, operand_layout<S.instruction, operand_store{majorness::k, along_k(b::layout)}>(
                                           S.n, S.k, b_fragments(S))>;
    static constexpr int b_at = L.b_at(S), source_at = L.source_at(S), barriers_at = L.barriers_at(S);

    // The stages, of L.ahead of the source and one more of B.
    static CK_TILE_FN int source_in(int stage) { return source_at + stage * L.source_bytes; }
    static CK_TILE_FN b_in_lds b_in(const block& in, int stage)
    {
        return {in.lds_at<element>(b_at + stage * b_in_lds::bytes)};
    }

    // At which the boxes of a stage of the source arrive.
    static CK_TILE_FN auto boxes_in(const block& in, int stage)
    {
        using barrier = box_barrier<S.waves(), S.fragment().a.lanes()>;
        return barrier(in.lds_at<mbarrier>(barriers_at + stage * barrier::bytes));
    }

    CK_TILE_FN computed_stream(const block& in, const Tiles& tiles, int first, int end, int stride)
        : in_(in),
          tiles_(tiles),
          number_(first),
          end_(end),
          stride_(stride),
          b_stays_(tiles.columns() == 1 && (L.ahead + 1) % tiles.steps() == 0),
          here_(tiles.at(first)),
          source_(tiles.source()),
          b_(tiles.b(here_, 0), S.k)
    {
        if constexpr(L.boxes)
            for(int i = 0; i < L.ahead; ++i)
                boxes_in(in, i).init();
        tiles_.move(source_, here_);
    }

    // The copies of one step, in two halves: see operand_copy.
    CK_TILE_FN void begin()
    {
        if(number_ >= end_)
            return;
        if constexpr(!L.boxes)
            if(column_ == 0)
                source_.begin();
        if(copies_b_)
            b_.begin();
    }
    CK_TILE_FN void end()
    {
        if(number_ < end_) [[clang::always_inline]]
        {
            if(column_ == 0) [[clang::always_inline]]
            {
                end_source();
                source_stage_ = source_stage_ + 1 == L.ahead ? 0 : source_stage_ + 1;
            }
            if(copies_b_) [[clang::always_inline]]
                b_.end(b_in(in_, b_stage_));
            b_stage_  = b_stage_ == L.ahead ? 0 : b_stage_ + 1;
            copies_b_ = copies_b_ && (b_stage_ != 0 || !b_stays_);
            if(++step_ == tiles_.steps())
                next();
        }
        commit_copies(); // of one step, even if there are none
    }

  private:
    CK_TILE_FN void end_source()
    {
        if constexpr(L.boxes)
            source_.copy(in_, source_in(source_stage_), boxes_in(in_, source_stage_));
        else
            source_.end(in_, source_in(source_stage_));
    }
    CK_TILE_FN void next()
    {
        step_ = 0;
        if(++column_ == tiles_.columns())
        {
            column_ = 0;
            number_ += stride_;
            if(number_ >= end_)
                return;
            here_ = tiles_.at(number_);
            tiles_.move(source_, here_);
        }
        if(copies_b_)
            b_ = operand_copy<b>(tiles_.b(here_, column_), S.k);
    }

    const block& in_;
    const Tiles& tiles_;
    int number_, end_, stride_, column_ = 0, step_ = 0, source_stage_ = 0, b_stage_ = 0;
    bool b_stays_;         // whether all stages of B are those of the steps of any tile
    bool copies_b_ = true; // if they are, until they have been copied
    coord here_;
    source source_;
    operand_copy<b> b_;
};

// f(constant) with the number of columns of A that a step has of which `left` are left: all, a half or a quarter.
template <shape S, class F>
CK_TILE_FN void with_depth(int left, F&& f)
{
    constexpr int half = S.k / 2, quarter = S.k / 4;
    if constexpr(quarter % S.k_pack() == 0)
        if(left <= quarter) [[clang::always_inline]]
            return f(constant<quarter>{});
    if constexpr(half % S.k_pack() == 0)
        if(left <= half) [[clang::always_inline]]
            return f(constant<half>{});
    [[clang::always_inline]] f(constant<S.k>{});
}
} // namespace detail

// Tiles of a result A * B, as run_computed_tiles() makes them.
//   at(number)                 where a tile is
//   terms(), steps()           columns of A, and steps of S.k of them
//   columns()                  tiles of S.n columns of the result
//   rows                       how a step of A, of S.k columns, is distributed when it is put
//   source()                   what A is computed from: begin(), end(block, byte offset) copy what one step needs, and go on to the next;
//                              where there are boxes copy(block, byte offset, box_barrier) does
//   move(source, coord)        to the first step of another tile
//   b(coord, column)           the operand B, which is that of the column wherever the tile is
//   compute<Depth>(coord, step, byte offset, put)   calls put(tile) for `Depth` columns of A; what the source has copied is at the offset
//                              where A stays in registers, it has waited for all products
//   begin(column)              the accumulators at the start
//   store(coord, column, product)
template <shape S, computed_loop L, class Tiles>
CK_TILE_FN void run_computed_tiles(const block& in, const Tiles& tiles, int first, int end, int stride)
{
    using stream  = detail::computed_stream<S, L, Tiles>;
    using element = typename stream::element;
    using a_in_lds =
        lds_tile<element,
                 operand_layout<S.instruction, operand_store{majorness::k, Tiles::rows}>(S.m, S.k, a_fragments(S))>;
    if constexpr(legal_shape<S>::value)
    {
        stream ahead(in, tiles, first, end, stride);
        for(int i = 0; i < L.ahead; ++i)
        {
            ahead.begin();
            ahead.end();
        }
        // Until the copies of the next step are there, for all threads, and what was multiplied may be overwritten by what it computes.
        const auto arrive = [&] {
            wait_for_copies<L.ahead - 1>();
            if constexpr(L.kept == 1)
                wait_for_products<0>();
            in.sync();
        };
        arrive();
        const int first_row = first_row_of_wave<S>();
        int source_stage = 0, b_stage = 0;
        [[maybe_unused]] int turn = 0; // of the source's stages
        for(int number = first; number < end; number += stride)
        {
            const auto here = tiles.at(number);
            for(int column = 0; column < tiles.columns(); ++column)
            {
                tile<float, accumulator(S)> acc = tiles.begin(column);
                pin_accumulators(acc);
                for(int step = 0; step < tiles.steps(); ++step)
                {
                    const auto b     = stream::b_in(in, b_stage);
                    const int source = stream::source_in(source_stage);
                    b_stage          = b_stage == L.ahead ? 0 : b_stage + 1;
                    ahead.begin();
                    if constexpr(L.boxes)
                        if(column == 0)
                            stream::boxes_in(in, source_stage).wait(turn);
                    if constexpr(L.in_registers())
                    {
                        tile<element, a_registers(S)> a;
                        tiles.template compute<S.k>(
                            here, step, source, [&](const auto& computed) { a = rearrange<a_registers(S)>(computed); });
                        in.sync(); // what it was computed from is overwritten next
                        mma<S>(acc, a, b);
                    }
                    else
                        detail::with_depth<S>(tiles.terms() - step * S.k, [&](auto depth) {
                            const a_in_lds a{in.lds_at<element>(step % L.kept * a_in_lds::bytes)};
                            if(column == 0) [[clang::always_inline]]
                                tiles.template compute<int(depth)>(here, step, source,
                                                                   [&](const auto& computed) { store(a, computed); });
                            wait_for_products<0>();
                            see_copies(); // and what was computed
                            in.sync();
                            constexpr shape some = {S.m, S.n, depth, S.waves_m, S.waves_n, S.instruction};
                            mma<some>(acc, a, b, first_row);
                        });
                    if(column == 0 && ++source_stage == L.ahead)
                        source_stage = 0, ++turn;
                    [[clang::always_inline]] ahead.end();
                    arrive();
                }
                wait_for_products<0>();
                pin_accumulators(acc);
                tiles.store(here, column, acc);
                if constexpr(!L.keeps_all() && !L.in_registers())
                    in.sync(); // the epilogue was where A comes next
            }
        }
    }
}

} // namespace ck_tile::gemm
