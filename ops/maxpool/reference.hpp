// SPDX-License-Identifier: MIT
// Max-pooling by its definition, on the CPU, both ways: the sums in fp64. Shares no code with the tile core.
//
// Indices here are flat, h * W + w in the plane of the input, whatever the problem's kind is.
#pragma once

#include "ops/maxpool/problem.hpp"
#include "ops/reference.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ck_tile::maxpool
{

struct maxima
{
    std::vector<float> values;
    std::vector<std::int64_t> indices;
};

// The maxima of `in`, in the layout's order. Of equal ones the first in scan order counts; a NaN is larger than everything,
// and the last of several counts; a window of nothing but -inf has its first element of the input as maximum.
maxima reference_maxima(const problem& p, const std::vector<float>& in);

// dX[i] = the sum of dY over the windows whose index is i: at most as many terms as a window has elements.
reference_values reference_backward(const problem& p, const std::vector<float>& out,
                                    const std::vector<std::int64_t>& indices);

// Flat indices as the bytes of the problem's kind, for recompute those of int64, and back.
std::vector<std::byte> encode_indices(const problem& p, const std::vector<std::int64_t>& flat);
std::vector<std::int64_t> decode_indices(const problem& p, std::span<const std::byte> stored);

// Rejects flat indices of which one is not an element of its window in the input.
status check_indices(const problem& p, const std::vector<std::int64_t>& flat);

} // namespace ck_tile::maxpool
