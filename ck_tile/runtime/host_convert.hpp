// SPDX-License-Identifier: MIT
// Converts host tensors between float values and the bytes of their floating element type.
#pragma once

#include "ck_tile/numeric/data_type.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ck_tile
{

// The elements as they lie in memory. Rounds to nearest, ties to even; too large a value becomes infinite, or the largest
// number of an integer type, and NaN stays NaN, or becomes 0.
std::vector<std::byte> encode(data_type type, std::span<const float> values);

// The values of elements in memory, exactly, but integers of more than 24 bits rounded. `elements` holds a whole number of
// them.
std::vector<float> decode(data_type type, std::span<const std::byte> elements);

} // namespace ck_tile
