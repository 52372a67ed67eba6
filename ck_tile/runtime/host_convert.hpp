// SPDX-License-Identifier: MIT
// Converts host tensors between values and the bytes of their element type.
#pragma once

#include "ck_tile/numeric/data_type.hpp"

#include <cstddef>
#include <cstdint>
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

// The same of integers: exactly, if the type holds them. Empty for the floating types.
std::vector<std::byte> encode_integers(data_type type, std::span<const std::int64_t> values);
std::vector<std::int64_t> decode_integers(data_type type, std::span<const std::byte> elements);

} // namespace ck_tile
