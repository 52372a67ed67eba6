// SPDX-License-Identifier: MIT
// The main loop of a block whose waves have two roles: some copy operands to LDS, tile after tile, the others multiply them and store.
#pragma once

#include "ck_tile/gemm/box_operand.hpp"
#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/pipelines/traits.hpp"
#include "ck_tile/gemm/stream_k.hpp"
#include "ck_tile/verbs/copy.hpp"
#include "ck_tile/verbs/stage_ring.hpp"

#include <limits>

namespace ck_tile::gemm
{

namespace detail
{
// Where the next tiles of a block are, in LDS: the waves that copy work out a list at a time, a lane each, so that they seldom stop copying
// for it; the others read it tile by tile. There are two lists in turn.
template <class Coord, int CopyingWaves, int UsingWaves, int Lanes>
class coord_lists
{
    static constexpr int length = 8, room = 256; // tiles of a list; bytes of a coord
    using ring = stage_ring<2, CopyingWaves, UsingWaves, Lanes>;
    static_assert(sizeof(Coord) <= room && std::is_trivially_copyable_v<Coord>,
                  "wave_specialized: the coord of a tile has 256 bytes at most, and is trivially copyable");

  public:
    static constexpr int bytes = 2 * length * room + ring::bytes; // of LDS

    CK_TILE_FN coord_lists(const block& in, int byte_offset)
        : lists_(in.lds + byte_offset), ring_(in, byte_offset + 2 * length * room)
    {
    }

    // On the CPU, which has both roles in turn: whether next() would come back.
    CK_TILE_FN bool has_room() const { return copied_ % length != 0 || ring_.has_free(); }

    // Of the waves that copy: the next tile's, which is at(0); a list has those of at(1), at(2) ... as well.
    template <class At>
    CK_TILE_FN Coord next(const At& at)
    {
        if(copied_ % length == 0)
        {
            ring_.wait_free();
            run_threads<1, CopyingWaves, Lanes>([&](thread t) {
                if(t.wave == 0 && t.lane < length)
                    at(t.lane, coord_in(copied_ + t.lane));
            });
            ring_.filled();
            sync_waves<CopyingWaves, Lanes>();
        }
        const Coord& here = *static_cast<const Coord*>(coord_in(copied_));
        check_read<CopyingWaves>(here);
        copied_ = (copied_ + 1) % (2 * length);
        return here;
    }

    // Of the others, one tile after the other: its coord, which stays until they have done with it.
    CK_TILE_FN const Coord& begin()
    {
        if(used_ % length == 0)
            ring_.wait_full();
        const Coord& here = *static_cast<const Coord*>(coord_in(used_));
        check_read<UsingWaves>(here);
        return here;
    }
    CK_TILE_FN void end(const Coord& here)
    {
        check_read<UsingWaves>(here);
        used_ = (used_ + 1) % (2 * length);
        if(used_ % length == 0)
            ring_.used();
    }

    CK_TILE_FN void close(const block& in) { ring_.close(in); }

  private:
    CK_TILE_FN lds_pointer<Coord> coord_in(int number) const
    {
        return lds_pointer<Coord>(reinterpret_cast<Coord*>(lists_ + number * room));
    }

    // Tells the checker that these waves read it.
    template <int Waves>
    static CK_TILE_FN void check_read(const Coord& here)
    {
        if constexpr(checks_programs)
            run_threads<1, Waves, Lanes>([&](thread) { check_lds_read(&here, sizeof here); });
    }

    std::byte* lists_;
    ring ring_;
    int copied_ = 0, used_ = 0; // where in the lists the next coord is
};

// The operands of one step after the other, of one tile after the other.
template <shape S, int Waves, class Tiles, class Coords>
class operand_stream
{
    using coord     = decltype(std::declval<const Tiles&>().at(0));
    using a_operand = decltype(std::declval<const Tiles&>().a(std::declval<const coord&>()));
    using b_operand = decltype(std::declval<const Tiles&>().b(std::declval<const coord&>()));

  public:
    CK_TILE_FN operand_stream(const Tiles& tiles, Coords& coords, int first, int end, int stride)
        : tiles_(tiles), coords_(coords), number_(first), end_(end), stride_(stride), now_(next_operands())
    {
        begin();
    }

    // Whether all steps of the tile have been copied.
    CK_TILE_FN bool tile_is_copied() const { return step_ == now_.steps; }

    // Goes on to the next tile, if there is one.
    CK_TILE_FN bool next_tile()
    {
        if(end_ - number_ <= stride_)
            return false;
        number_ += stride_;
        now_ = next_operands();
        begin();
        return true;
    }

    // The next step of the tile, of which there is one; of B, unless it is there. Then advance().
    CK_TILE_FN void copy_boxes(const auto& to, bool b_is_there, const auto& box) const
    {
        gemm::copy_boxes(now_.a, to.a, box);
        if(!b_is_there)
            gemm::copy_boxes(now_.b, to.b, box);
    }
    CK_TILE_FN void copy(const auto& to, bool b_is_there)
    {
        // What others still look up is overwritten next.
        if(step_ > 0 && (must_look_ahead<a_operand>(step_, S.k) || must_look_ahead<b_operand>(step_, S.k)))
        {
            sync();
            look_ahead(now_.a, step_, S.k);
            look_ahead(now_.b, step_, S.k);
        }
        ck_tile::copy(now_.a, to.a);
        if(!b_is_there)
            ck_tile::copy(now_.b, to.b);
    }
    CK_TILE_FN void advance()
    {
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

    static CK_TILE_FN void sync() { sync_waves<Waves, S.fragment().a.lanes()>(); }

    CK_TILE_FN operands next_operands() const
    {
        const coord here  = coords_.next([&](int further, const auto& to) {
            if(further * std::int64_t(stride_) < end_ - number_)
                *to = tiles_.at(number_ + further * stride_);
        });
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
            sync();
            for(int half = 0; half < 2; ++half)
            {
                look_ahead(now_.a, 0, S.k);
                look_ahead(now_.b, 0, S.k);
            }
            sync();
        }
    }

    const Tiles& tiles_;
    Coords& coords_;
    int number_, end_, stride_, step_ = 0;
    operands now_;
};

// Rows of the result from the tile's first one on, where the tiles say so.
template <class Tiles, class Coord>
CK_TILE_FN int rows_of(const Tiles& tiles, const Coord& here)
{
    if constexpr(requires { tiles.rows(here); })
        return tiles.rows(here);
    return std::numeric_limits<int>::max();
}

// Whether the block has to store what it has multiplied: of a tile in several shares, if it has added them up.
template <shape S, class Tiles, class Coord>
CK_TILE_FN bool is_complete(tile<float, accumulator(S)>& acc, const Tiles& tiles, const Coord& here)
{
    if constexpr(requires { tiles.share(here); })
    {
        const tile_share share = tiles.share(here);
        if(share.shares != 1)
            return share.shares > 0 && add_shares<S>(acc, tiles.partials(), share);
    }
    return true;
}
} // namespace detail

// Registers of a lane of each role, in steps of 8, where the block starts with `each` for all: waves that multiply have what they need
// beside accumulators, or as many as before if that is more, and those that copy what is left. Of 0, which is not known, all keep theirs.
struct role_registers
{
    int multiplying, copying;

    constexpr role_registers(const shape& s, int copying_waves, int each)
    {
        constexpr int beside = 56;
        const int all = each / 8 * 8, wanted = all > 0 ? ceil_div(s.accumulators() + beside, 8) * 8 : 0;
        multiplying = wanted > all ? wanted : all;
        copying     = (all * (s.waves() + copying_waves) - multiplying * s.waves()) / copying_waves / 8 * 8;
    }
};

template <>
struct pipeline_traits<pipeline::wave_specialized>
{
    static constexpr int usual_stages  = 4;
    static constexpr int copying_waves = 4;
    static constexpr bool persistent   = true;
    static constexpr bool takes_boxes  = false;

    static constexpr int barrier_bytes(int stages) // two mbarriers for each stage, and where tiles are
    {
        return stages * 16 + detail::coord_lists<int, copying_waves, copying_waves, 32>::bytes;
    }

    static constexpr majorness in_lds(majorness in_memory) { return in_memory; }

    static constexpr violation check(const shape& s, int stages, const target& t, const operand_access& access)
    {
        if(stages < 2)
            return {"wave_specialized has 2 stages or more: one is multiplied, others are copied", stages,
                    "use 3 or 4, or another pipeline"};
        if(const violation v = check_copied_operands(pipeline::wave_specialized, s, t, access))
            return v;
        if(s.waves() % copying_waves != 0)
            return {"the waves that multiply must be a multiple of the four that copy", s.waves(), "use 4 or 8 waves"};
        return {};
    }

    static constexpr int registers(const shape& s, const distribution&, const distribution&)
    {
        const bool fragments = s.inst().operands == operand_source::registers;
        return address_registers + (fragments ? fragment_registers(s) : 0);
    }

    // Tile `first` is below `end`. `Registers` are a lane's when the block starts, 0: not known.
    template <shape S, int Stages, int Registers, class Tiles>
    static CK_TILE_FN void run_tiles(const block& in, const Tiles& tiles, int first, int end, int stride)
    {
        using coord           = decltype(tiles.at(first));
        using a_operand       = decltype(tiles.a(std::declval<const coord&>()));
        using b_operand       = decltype(tiles.b(std::declval<const coord&>()));
        using operands_in_lds = stage<S, {major_of(a_operand::layout), a_operand::layout},
                                      {major_of(b_operand::layout), b_operand::layout}>;
        constexpr int bytes = operand_bytes(S), lanes = S.fragment().a.lanes();
        constexpr int each            = Registers / 8 * 8;
        constexpr role_registers have = {S, copying_waves, each};

        constexpr bool in_boxes = comes_in_boxes<a_operand>;
        static_assert(in_boxes == comes_in_boxes<b_operand>, "wave_specialized: operands come in boxes, or neither");
        using ring        = stage_ring<Stages, copying_waves, S.waves(), lanes,
                                       in_boxes ? stage_filling::in_boxes : stage_filling::by_threads>;
        using coord_lists = detail::coord_lists<coord, copying_waves, S.waves(), lanes>;
        ring stages(in, Stages * bytes);
        coord_lists coords(in, Stages * bytes + ring::bytes);
        in.sync();
        const bool b_stays = [&] {
            if constexpr(requires { tiles.b_stays(Stages); })
                return tiles.b_stays(Stages);
            return false;
        }();
        const auto fill = [&](auto& stream) {
            const operands_in_lds to(in, stages.to_fill() * bytes);
            const bool b_is_there = b_stays && stages.rounds() > 0;
            stages.wait_free();
            if constexpr(in_boxes)
                stages.fill_with_boxes([&](const auto& box)
                                           __attribute__((always_inline)) { stream.copy_boxes(to, b_is_there, box); });
            else
            {
                stream.copy(to, b_is_there);
                if constexpr(looks_at_memory<a_operand> && looks_at_memory<b_operand>)
                    stages.filled_when_copied();
                else
                {
                    commit_copies();
                    wait_for_copies<0>();
                    see_copies();
                    stages.filled();
                }
            }
            stream.advance();
        };
        const auto multiply = [&](auto&& fill_free_stages) {
            const int first_row = first_row_of_wave<S>();
            for(int number = first; number < end; number += stride)
            {
                fill_free_stages();
                const coord& here    = coords.begin();
                const int steps      = tiles.steps(here);
                auto acc             = accumulators<S>();
                const auto each_step = [&](const auto& multiply_step) {
                    for(int step = 0; step < steps; ++step)
                    {
                        fill_free_stages();
                        const operands_in_lds operands(in, stages.to_use() * bytes);
                        stages.wait_full();
                        multiply_step(operands);
                        if(step > 0)
                            stages.used();
                    }
                };
                if(first_row < detail::rows_of(tiles, here)) [[clang::always_inline]]
                    each_step([&](const operands_in_lds& operands) __attribute__((always_inline)) {
                        see_copies();
                        mma<S>(acc, operands.a, operands.b, first_row);
                        wait_for_products<1>();
                    });
                else [[clang::always_inline]]
                    each_step([](const operands_in_lds&) {});
                wait_for_products<0>();
                if(steps > 0)
                    stages.used();
                pin_accumulators(acc);
                if(detail::is_complete<S>(acc, tiles, here))
                    tiles.store(here, acc);
                coords.end(here);
            }
        };
        using operand_stream = detail::operand_stream<S, copying_waves, Tiles, coord_lists>;
        if constexpr(!on_device) // one thread has both roles: it fills all stages that are free before each step
        {
            const auto copying = [&](auto&& f) {
                const role_scope role(S.waves(), copying_waves);
                return f();
            };
            auto stream = copying([&] { return operand_stream(tiles, coords, first, end, stride); });
            const role_scope multiplying(0, S.waves());
            multiply([&] {
                const role_scope role(S.waves(), copying_waves);
                for(bool more = true; more;)
                    if(stream.tile_is_copied())
                        more = coords.has_room() && stream.next_tile();
                    else if((more = stages.has_free()))
                        fill(stream);
            });
        }
        else if(is_in_first_waves<S.waves(), lanes>())
        {
            use_registers<have.multiplying, each>();
            [[clang::always_inline]] multiply([] {});
        }
        else
        {
            use_registers<have.copying, each>();
            operand_stream stream(tiles, coords, first, end, stride);
            do
                while(!stream.tile_is_copied()) [[clang::always_inline]]
                    fill(stream);
            while(stream.next_tile());
        }
        stages.close(in);
        coords.close(in);
    }
};

template <>
struct pipeline_traits<pipeline::wave_specialized_boxes> : pipeline_traits<pipeline::wave_specialized>
{
    static constexpr bool takes_boxes = true;

    static constexpr violation check(const shape& s, int stages, const target& t, const operand_access& access)
    {
        if(const violation v = pipeline_traits<pipeline::wave_specialized>::check(s, stages, t, access))
            return v;
        if(s.inst().operands != operand_source::lds)
            return {"boxes lie in LDS as instructions take them from there", s.inst().name,
                    "use a wgmma, or wave_specialized"};
        return {};
    }
};

} // namespace ck_tile::gemm
