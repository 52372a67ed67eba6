// SPDX-License-Identifier: MIT
// What the backward convolutions are, whatever computes them: their tensors, their references.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

namespace ck_tile::conv
{

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct backward_data_tensors
{
    const void* out; // dY, the gradient of the output
    const void* wei; // W
    void* in;        // dX, the result
};
struct backward_weight_tensors
{
    const void* in;  // X
    const void* out; // dY, the gradient of the output
    void* wei;       // dW, the result
};

// What the descriptions of operations that compute them begin with.
struct backward
{
    static status validate(const problem& p) { return conv::validate(p); }
    static double floor_bytes(const problem& p) { return p.floor_bytes(); }
    static double flops(const problem& p) { return p.flops(); }
};

struct backward_data : backward
{
    using tensors = backward_data_tensors;

    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2]}; }
    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    // Of backward_data_reference.
    static launch reference_launch(const kernel& reference, const problem& p, const tensors& data);
};

struct backward_weight : backward
{
    using tensors = backward_weight_tensors;

    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2]}; }
    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    // Of backward_weight_reference, and of sum_program: partials are in the workspace.
    static std::vector<launch> reference_launches(const kernel& reference, const kernel& sum, const problem& p,
                                                  const tensors& data, void* workspace);
    static std::size_t reference_workspace_bytes(const problem& p);
};

} // namespace ck_tile::conv
