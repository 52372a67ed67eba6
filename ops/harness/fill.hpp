// SPDX-License-Identifier: MIT
// Fills tensors with numbers that are the same on every machine for the same seed.
#pragma once

#include "ops/harness/tensor_set.hpp"

#include <cstdint>
#include <vector>

namespace ck_tile::harness
{

enum class fill
{
    zeros,
    integers, // -5 to 5: short sums are exact in every type
    decimals  // -0.5 to 0.5
};

// Tensors of one problem differ by `stream`, runs by `seed`.
std::vector<float> make_values(fill how, std::int64_t elements, std::uint64_t seed, std::uint64_t stream);

// Elements for all floating inputs and origins. With zeros, inputs stay without elements: a large problem whose values do not
// matter then takes no memory.
void fill_floats(tensor_set& set, fill how, std::uint64_t seed);

// Whether the operation makes some inputs of others, as mean and inv_std of x.
template <class Op>
concept derives_inputs = requires(const typename Op::problem& p, tensor_set& set) { Op::derive_inputs(p, set); };

// The inputs of a problem: random floats, from which the operation makes inputs that follow from others. (Where inputs come from
// files, its `status accept_inputs(const problem&, tensor_set&)` does so, and rejects what is no input.)
template <class Op>
void fill_inputs(const typename Op::problem& p, tensor_set& set, fill how, std::uint64_t seed)
{
    fill_floats(set, how, seed);
    if constexpr(derives_inputs<Op>)
        Op::derive_inputs(p, set);
}

} // namespace ck_tile::harness
