// SPDX-License-Identifier: MIT
// The tensors of an operation's problem: name, type, shape, and what they are to the operation. Programs, tests, benchmarks and
// bindings make, move, save and verify tensors by this list alone.
#pragma once

#include "ck_tile/numeric/data_type.hpp"

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

// What a tensor is to the operation's kernels.
enum class tensor_role
{
    input,
    result,
    origin, // no kernel touches it: inputs are made from it, as the indices of a pooling are from the pooled tensor
    absent  // this problem has none: its address is null
};

struct tensor_info
{
    const char* name; // also that of its file, <name>.npy
    data_type type;
    tensor_shape shape;
    tensor_role role = tensor_role::input;

    bool optional = false; // kernels take null for it, and do as the operation's `tensors` says

    // Of a result, how far it may be off: an element is a sum of at most `terms` numbers (0: it is exact), made in fp32 with
    // `slack` times the error that summing one by one has.
    std::int64_t terms = 0;
    double slack       = 1;

    std::int64_t bytes() const { return shape.elements() * bytes_of(type); }
    bool on_device() const { return role == tensor_role::input || role == tensor_role::result; }
};

// Of those that kernels touch.
inline double bytes_on_device(const std::vector<tensor_info>& list)
{
    double bytes = 0;
    for(const tensor_info& t : list)
        if(t.on_device())
            bytes += static_cast<double>(t.bytes());
    return bytes;
}

} // namespace ck_tile
