// SPDX-License-Identifier: MIT
// Long tensors in pieces, on all cores: what is made of a piece on the way somewhere takes the memory of a few pieces.
#pragma once

#include "ops/reference.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ck_tile::harness
{

struct chunk
{
    std::size_t number;
    std::int64_t begin, end;
};

constexpr std::int64_t chunk_elements = 1 << 20;

constexpr std::size_t chunks_of(std::int64_t elements)
{
    return static_cast<std::size_t>((elements + chunk_elements - 1) / chunk_elements);
}

// work(chunk) for all of them, in any order.
template <class Work>
void in_chunks(std::int64_t elements, const Work& work)
{
    on_all_cores(static_cast<std::int64_t>(chunks_of(elements)), [&](std::int64_t number) {
        const std::int64_t begin = number * chunk_elements;
        work(chunk{static_cast<std::size_t>(number), begin, std::min(begin + chunk_elements, elements)});
    });
}

} // namespace ck_tile::harness
