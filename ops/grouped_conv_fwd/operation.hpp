// SPDX-License-Identifier: MIT
// Grouped convolution, forward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/schedule.hpp"
#include "ops/grouped_conv_fwd/config.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

#include <concepts>
#include <type_traits>

namespace ck_tile::grouped_conv_fwd
{

// Y = activation(convolution of X and W + bias of the channel + residual).
struct problem : conv::problem
{
    bool bias;
    conv::activation activation;
    bool residual;

    problem(const conv::problem& p = {}, bool with_bias = false, conv::activation after = conv::activation::none,
            bool with_residual = false)
        : conv::problem(p), bias(with_bias), activation(after), residual(with_residual)
    {
    }
};

void visit_fields(auto& p, auto&& v)
requires std::same_as<std::remove_const_t<std::remove_reference_t<decltype(p)>>, problem>
{
    conv::visit_base(p, v);
    v.flag("bias", p.bias);
    v.choice("activation", p.activation);
    v.flag("residual", p.residual);
}

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* in;       // X
    const void* wei;      // W
    const void* bias;     // [G, K]; null: none
    const void* residual; // as Y; null: none
    void* out;            // Y, the result
};

// What becomes of a reference's sums, Y's elements in order: bias, if the problem has one, residual likewise, activation.
reference_values finished(const problem& p, reference_values sums, const std::vector<float>& bias,
                          const std::vector<float>& residual);

struct operation
{
    static constexpr const char* name      = "grouped_conv_fwd";
    static constexpr const char* support[] = {"sum", "repack", "reference"};
    static constexpr bool splits_reduction = true;

    using problem  = grouped_conv_fwd::problem;
    using config   = grouped_conv_fwd::config;
    using tensors  = grouped_conv_fwd::tensors;
    using schedule = conv::schedule;

    static status validate(const problem& p) { return conv::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2], at[3], at[4]}; }
    static double floor_bytes(const problem& p); // each input read once, Y written once
    static double flops(const problem& p) { return p.flops(); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static problem magnitude_problem(problem p); // before the activation

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
};

} // namespace ck_tile::grouped_conv_fwd
