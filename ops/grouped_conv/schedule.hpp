// SPDX-License-Identifier: MIT
// How a launch makes the tiles of a convolution's result: which blocks make which of their steps, and the memory that takes.
#pragma once

#include "ck_tile/gemm/stream_k.hpp"
#include "ck_tile/gemm/tile_config.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ck_tile::conv
{

struct schedule
{
    int blocks = 0; // of the launch
    // Of each tile that is left when all blocks have made as many, see gemm::stream_k: 1, all are whole; several, which begin at the same
    // steps; or 0, as many as make blocks equally busy.
    int shares = 1;
};

// So many tiles, of so many steps each where blocks share some.
class launch_work
{
  public:
    launch_work(const gemm::tile_config& tile, const schedule& s, std::int64_t tiles, std::int64_t steps)
        : tiles_(s.shares == 1 ? gemm::stream_k::of_whole_tiles(tiles, s.blocks)
                               : gemm::stream_k::of_shares(tiles, s.blocks, steps, s.shares)),
          sums_(gemm::partial_tiles::sums_of(tile.shape(), tiles_)),
          arrivals_(gemm::partial_tiles::arrivals_of(tile.shape(), tiles_))
    {
    }

    // What it takes of the workspace.
    std::size_t bytes() const { return (sums_ + arrivals_) * 4; }

    // The main launch, whose arguments get the work, behind one after which nobody has arrived. A sum of no partials is zeros; `finish`
    // leaves them.
    template <class Finish, class Arguments>
    std::vector<launch> launches(const kernel& sum, void* workspace, data_type type, const Finish& finish,
                                 const kernel& main, Arguments a) const
    {
        auto* const sums = static_cast<float*>(workspace);
        a.work           = tiles_;
        a.shared         = {sums, reinterpret_cast<unsigned*>(sums + sums_)};
        std::vector<launch> all;
        if(arrivals_ > 0)
        {
            const auto elements = static_cast<std::int64_t>(arrivals_ * sizeof(unsigned)) / bytes_of(type);
            const sum_arguments<Finish> zeros = {nullptr, a.shared.arrived, elements, 0, finish};
            all.emplace_back(sum, zeros.blocks(), zeros);
        }
        all.emplace_back(main, tiles_.blocks, a);
        return all;
    }

  private:
    gemm::stream_k tiles_;
    std::size_t sums_, arrivals_;
};

} // namespace ck_tile::conv
