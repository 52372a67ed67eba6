// SPDX-License-Identifier: MIT
// The lengths and strides of a tensor of an operation's problem.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ck_tile
{

// Lengths and strides (in elements), slowest dimension first.
struct tensor_shape
{
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> strides;

    std::int64_t elements() const
    {
        std::int64_t all = 1;
        for(const std::int64_t length : lengths)
            all *= length;
        return all;
    }
};

// A tensor without gaps.
inline tensor_shape packed_shape(std::vector<std::int64_t> lengths)
{
    tensor_shape shape{std::move(lengths), {}};
    shape.strides.resize(shape.lengths.size());
    std::int64_t stride = 1;
    for(std::size_t d = shape.lengths.size(); d-- > 0;)
    {
        shape.strides[d] = stride;
        stride *= shape.lengths[d];
    }
    return shape;
}

} // namespace ck_tile
