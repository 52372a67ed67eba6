// SPDX-License-Identifier: MIT
// Fills tensors with numbers that are the same on every machine for the same seed.
#pragma once

#include <cstdint>
#include <vector>

namespace ck_tile::examples
{

enum class fill
{
    zeros,
    integers, // -5 to 5: short sums are exact in every type
    decimals  // -0.5 to 0.5
};

// Tensors of one program differ by `stream`, its runs by `seed`.
std::vector<float> make_values(fill how, std::int64_t elements, std::uint64_t seed, std::uint64_t stream);

} // namespace ck_tile::examples
