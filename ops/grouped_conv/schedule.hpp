// SPDX-License-Identifier: MIT
// How a launch makes the tiles of a convolution's result: a plan's schedule, the memory that it takes, and the launches.
#pragma once

#include "ck_tile/gemm/stream_k.hpp"
#include "ck_tile/gemm/tile_config.hpp"
#include "ops/grouped_conv/sum.hpp"
#include "ops/operation.hpp"

#include <cstddef>
#include <vector>

namespace ck_tile::conv
{

using schedule = gemm::stream_k;

// What the sums of shares, and the arrivals of their waves, take of the workspace.
inline std::size_t bytes_of_shares(const gemm::tile_config& tile, const schedule& s)
{
    return gemm::partial_tiles::sums_of(tile.shape(), s) * sizeof(float) +
           gemm::partial_tiles::arrivals_of(tile.shape(), s) * sizeof(unsigned);
}

// The plan's main launch, whose arguments get the schedule, behind one after which nobody has arrived. A sum of no partials is zeros;
// `finish` leaves them.
template <class Op, class Finish, class Arguments>
std::vector<launch> main_launches(const plan<Op>& planned, void* workspace, const Finish& finish, Arguments a)
{
    const gemm::shape tile = planned.chosen->configuration.tile.shape();
    auto* const sums       = static_cast<float*>(workspace);
    a.work                 = planned.schedule;
    a.shared = {sums, reinterpret_cast<unsigned*>(sums + gemm::partial_tiles::sums_of(tile, planned.schedule))};
    std::vector<launch> all;
    if(const std::size_t arrivals = gemm::partial_tiles::arrivals_of(tile, planned.schedule); arrivals > 0)
    {
        const auto elements = static_cast<std::int64_t>(arrivals * sizeof(unsigned)) / bytes_of(planned.problem.type);
        const sum_arguments<Finish> zeros = {nullptr, a.shared.arrived, elements, 0, finish};
        all.emplace_back((*planned.support)["sum"], zeros.blocks(), zeros);
    }
    all.emplace_back(*planned.chosen->main, a.work.blocks, a);
    return all;
}

} // namespace ck_tile::conv
