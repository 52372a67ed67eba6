// SPDX-License-Identifier: MIT
// The elements of a tile with their coordinates, on the CPU, where a tile holds the registers of all threads.
#pragma once

#include "ck_tile/core/tile.hpp"

#include <vector>

namespace ck_tile
{

// Memory whose element i holds i + 1.
inline std::vector<float> numbered(int elements)
{
    std::vector<float> memory(static_cast<std::size_t>(elements));
    for(std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<float>(i + 1);
    return memory;
}

// Where value `number` of digits reaches, along each dimension.
inline multi_index<3> reach_of(const digits& all, int number)
{
    return {all.along(0, number), all.along(1, number), all.along(2, number)};
}

// Calls visit(place, coordinates) for every place of the distribution.
template <class Visit>
void each_slot(const distribution& d, Visit&& visit)
{
    for(int rank = 0; rank < d.cluster_size(); ++rank)
        for(int wave = 0; wave < d.waves(); ++wave)
            for(int lane = 0; lane < d.lanes(); ++lane)
            {
                const multi_index<3> thread_at =
                    reach_of(d.cluster, rank) + reach_of(d.wave, wave) + reach_of(d.lane, lane);
                for(int reg = 0; reg < d.regs(); ++reg)
                {
                    const multi_index<3> register_at = thread_at + reach_of(d.reg, reg);
                    for(int vec = 0; vec < d.vecs(); ++vec)
                        visit(slot{wave, lane, reg, vec, rank}, register_at + reach_of(d.vec, vec));
                }
            }
}

template <class T, distribution D>
T element_at(const tile<T, D>& x, const slot& p)
{
    return x.files[(p.rank * D.waves() + p.wave) * D.lanes() + p.lane].get(p.reg, p.vec);
}

// Calls visit(coordinates, value) for every place of the tile; replicated elements come more than once.
template <class T, distribution D, class Visit>
void each_element(const tile<T, D>& x, Visit&& visit)
{
    each_slot(D, [&](const slot& p, const multi_index<3>& at) { visit(at, element_at(x, p)); });
}

} // namespace ck_tile
