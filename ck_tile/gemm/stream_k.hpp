// SPDX-License-Identifier: MIT
// Stream-K: tiles whose steps blocks share, so that all blocks are busy equally long although tiles do not come out even (Osama et al.,
// "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023).
//
// Of all tiles, the first ones are whole ones, as many for each block as there are for all. The steps of the others, one tile after the
// other, are cut into runs of equal length, one for each block: its shares of one tile or of two. Every share of a tile leaves its sums in
// memory; the wave that comes last with its rows adds them up, in the order of the shares whoever is last, and stores the result.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/subtile.hpp"

#include <cstdint>

namespace ck_tile::gemm
{

// What a block makes of a tile at a time: all of it, where it is in one share, or some steps of the main loop, or nothing, where it is in none.
struct tile_share
{
    int tile;
    int shares, first, steps; // how many shares the tile is in, and of one of several its steps
    int number, first_number; // of it, and of the first one of its tile, among the shares of all shared tiles
    int shared;               // number of the tile among these
};

struct stream_k
{
    int tiles  = 0; // all
    int whole  = 0; // of these, the first; a multiple of the blocks if there are others
    int blocks = 0; // that make them
    int steps  = 0; // of the main loop of each tile, or of the longest; as shared ones are cut into runs, they end with
    divider counted   = 1; // some more perhaps, so that a tile is a whole number of runs
    divider per_block = 1; // of so many steps, no more than a tile has
    // Of blocks, where the longest tiles come first: who has a longer one in a turn has a shorter one in the next; 0 elsewhere.
    int turns = 0;

    // Each tile whole.
    static stream_k of_whole_tiles(std::int64_t tiles, int blocks, std::int64_t steps, bool longest_first = false)
    {
        return {.tiles  = static_cast<int>(tiles),
                .whole  = static_cast<int>(tiles),
                .blocks = blocks,
                .steps  = static_cast<int>(steps),
                .turns  = longest_first && tiles > 0 ? static_cast<int>(ceil_div(tiles, std::int64_t(blocks))) : 0};
    }
    // Tiles of so many steps that are in so many shares each if they are shared, all tiles at the same steps, for which there are blocks
    // enough; or, if it is 0, in as many as make blocks equally busy.
    static stream_k of_shares(std::int64_t tiles, int blocks, std::int64_t steps, int shares)
    {
        const std::int64_t rest = tiles % blocks;
        if(rest == 0)
            return of_whole_tiles(tiles, blocks, steps);
        const std::int64_t per_block =
            shares > 0 ? ceil_div(steps, std::int64_t(shares)) : ceil_div(rest * steps, std::int64_t(blocks));
        const std::int64_t counted = shares > 0 ? ceil_div(steps, per_block) * per_block : steps;
        return {.tiles     = static_cast<int>(tiles),
                .whole     = static_cast<int>(tiles - rest),
                .blocks    = blocks,
                .steps     = static_cast<int>(steps),
                .counted   = static_cast<int>(counted),
                .per_block = static_cast<int>(per_block)};
    }

    CK_TILE_FN int shared_tiles() const { return tiles - whole; }
    CK_TILE_FN int shares() const // of all shared tiles, at most: some numbers are left out
    {
        return shared_tiles() > 0 ? blocks + shared_tiles() : 0;
    }

    // Block b makes numbers b, b + blocks, ...: its whole tiles, then what its run has of one tile and of the next.
    CK_TILE_FN int count() const { return whole + (shared_tiles() > 0 ? 2 * blocks : 0); }

    // Where `Shared` is false all tiles are known to be whole.
    template <bool Shared>
    CK_TILE_FN tile_share share(int number) const
    {
        if(!Shared || number < whole)
            return {Shared ? in_its_turn(number) : number, 1, 0, 0, 0, 0, 0};
        const int own = number - whole, all = shared_tiles() * counted.divisor,
                  nth            = own >= blocks ? own - blocks : own;
        const std::int64_t start = std::int64_t(nth) * per_block.divisor;
        if(start >= all)
            return {whole, 0, 0, 0, 0, 0, 0};
        const int begin = static_cast<int>(start),
                  end   = all - begin < per_block.divisor ? all : begin + per_block.divisor;
        const int tile = begin / counted, behind = (tile + 1) * counted.divisor;
        if(own < blocks)
            return of_tile(tile, nth, begin, end < behind ? end : behind);
        return end > behind ? of_tile(tile + 1, nth, behind, end) : tile_share{whole, 0, 0, 0, 0, 0, 0};
    }

  private:
    // Every other turn is backwards, but not the last one, which may have no tile for the last blocks.
    CK_TILE_FN int in_its_turn(int number) const
    {
        if(turns == 0)
            return number;
        const int turn = number / blocks;
        return (turns - turn) % 2 != 0 ? number : (2 * turn + 1) * blocks - 1 - number;
    }

    // The steps of shared tile `tile` that block `block` makes, counted from the first shared tile's.
    CK_TILE_FN tile_share of_tile(int tile, int block, int begin, int end) const
    {
        const int start = tile * counted.divisor, first = start / per_block,
                  last   = (start + counted.divisor - 1) / per_block;
        const int behind = start + steps < end ? start + steps : end;
        return {.tile         = whole + tile,
                .shares       = last - first + 1,
                .first        = begin - start,
                .steps        = behind - begin,
                .number       = block + tile,
                .first_number = first + tile,
                .shared       = tile};
    }
};

// Where the sums of shares are, and how many waves have come with theirs, which is 0 at the start.
struct partial_tiles
{
    float* sums;       // [shares][elements of a tile]
    unsigned* arrived; // [shared tiles][waves of a tile]

    // How many of each.
    static std::size_t sums_of(const shape& s, const stream_k& work)
    {
        return static_cast<std::size_t>(work.shares()) * static_cast<std::size_t>(s.m * s.n);
    }
    static std::size_t arrivals_of(const shape& s, const stream_k& work)
    {
        return static_cast<std::size_t>(work.shared_tiles()) * static_cast<std::size_t>(s.waves());
    }
};

namespace detail
{
// Accumulators in memory: a wave's together, its lanes' vectors side by side.
constexpr distribution accumulators_in_memory(const shape& s)
{
    constexpr int vector = 4;
    const int lanes = s.fragment().a.lanes(), own = s.accumulators();
    return {.lengths = {s.m * s.n},
            .wave    = {{s.waves(), 0, lanes * own}},
            .lane    = {{lanes, 0, vector}},
            .reg     = {{own / vector, 0, lanes * vector}},
            .vec     = {{vector, 0, 1}}};
}

// Leaves the sums of a share. Of the wave that comes last with its rows, they become those of the tile, and it is told so.
template <shape S>
CK_TILE_FN bool add_shares(tile<float, accumulator(S)>& acc, const partial_tiles& memory, const tile_share& own)
{
    constexpr distribution all     = accumulators_in_memory(S);
    constexpr std::int64_t of_tile = S.m * S.n;
    const auto sums_of             = [&](int share) {
        return make_window<all>(tensor_view{memory.sums + share * of_tile, of_tile, packed<1>({int(of_tile)})},
                                multi_index{0});
    };
    store(sums_of(own.number), renumber<all>(acc));
    if(arrive_in_memory<S.waves()>(memory.arrived + own.shared * S.waves()) != unsigned(own.shares - 1))
        return false;
    auto sums = load(sums_of(own.first_number));
    for(int share = own.first_number + 1; share < own.first_number + own.shares; ++share)
        sums = map([](float x, float y) { return x + y; }, sums, load(sums_of(share)));
    acc = renumber<accumulator(S)>(sums);
    return true;
}
} // namespace detail

} // namespace ck_tile::gemm
