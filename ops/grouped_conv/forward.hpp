// SPDX-License-Identifier: MIT
// What a forward convolution is, whatever computes it: its problem, its tensors, its references.
#pragma once

#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

#include <concepts>
#include <type_traits>

namespace ck_tile::conv
{

// Y = activation(convolution of X and W + bias of the channel + residual).
struct forward_problem : problem
{
    bool bias;
    conv::activation activation;
    bool residual;

    forward_problem(const problem& p = {}, bool with_bias = false, conv::activation after = conv::activation::none,
                    bool with_residual = false)
        : problem(p), bias(with_bias), activation(after), residual(with_residual)
    {
    }
};

void visit_fields(auto& p, auto&& v)
requires std::derived_from<std::remove_cvref_t<decltype(p)>, forward_problem>
{
    visit_base(p, v);
    v.flag("bias", p.bias);
    v.choice("activation", p.activation);
    v.flag("residual", p.residual);
}

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct forward_tensors
{
    const void* in;       // X
    const void* wei;      // W
    const void* bias;     // [G, K]; null: none
    const void* residual; // as Y; null: none
    void* out;            // Y, the result
};

// What the descriptions of operations that compute it begin with.
struct forward
{
    using tensors = forward_tensors;

    static status validate(const problem& p) { return conv::validate(p); }
    static std::vector<tensor_info> tensor_list(const forward_problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2], at[3], at[4]}; }
    static double floor_bytes(const forward_problem& p); // each input read once, Y written once
    static double flops(const problem& p) { return p.flops(); }

    static std::vector<reference_values> reference(const forward_problem& p, const harness::tensor_set& set);
    static forward_problem magnitude_problem(forward_problem p); // before the activation
    // Of forward_reference.
    static launch reference_launch(const kernel& reference, const problem& p, const tensors& data,
                                   conv::activation activation);
};

// What becomes of a reference's sums, Y's elements in order: bias, if the problem has one, residual likewise, activation.
reference_values finished(const forward_problem& p, reference_values sums, const std::vector<float>& bias,
                          const std::vector<float>& residual);

} // namespace ck_tile::conv
