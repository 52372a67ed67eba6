// SPDX-License-Identifier: MIT
// Grouped convolution, activation, 1x1 convolution, forward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/grouped_conv/activation.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/regions.hpp"
#include "ops/grouped_conv_conv_fwd/config.hpp"
#include "ops/grouped_conv_fwd/operation.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

#include <concepts>
#include <optional>
#include <type_traits>

namespace ck_tile::grouped_conv_conv_fwd
{

// Y = W1 * A + bias1, where A = activation(convolution of X and W0 + bias0), rounded to the type, of groups * k channels, k being K0.
struct problem : conv::problem
{
    std::int64_t k1                  = 24; // output channels of the second convolution
    bool bias                        = false;
    conv::activation activation      = conv::activation::none;
    std::optional<data_type> rounded = {}; // what A is rounded to, if not the type

    problem(const conv::problem& p =
                {.spatial = 2, .groups = 144, .batch = 4, .k = 1, .c = 1, .filter = {3, 3}, .input = {56, 56}})
        : conv::problem(p)
    {
    }

    // The two convolutions, one after the other.
    conv::problem first() const { return *this; }
    conv::problem second() const;
};

void visit_fields(auto& p, auto&& v)
requires std::same_as<std::remove_const_t<std::remove_reference_t<decltype(p)>>, problem>
{
    conv::visit_numbers(p, v, "K0");
    v.number("K1", p.k1);
    conv::visit_kind(p, v);
    v.flag("bias", p.bias);
    v.choice("activation", p.activation);
}

status validate(const problem& p);
std::string describe(const problem& p);

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* in;    // X
    const void* wei0;  // W0
    const void* wei1;  // W1, [K1, G * K0]
    const void* bias0; // [G * K0]; null: none
    const void* bias1; // [K1]; null: none
    void* out;         // Y, the result
};

// What a plan knows beside its instance: the patches of a region, or two plans, of one convolution after the other.
struct schedule
{
    conv::regions regions = {};
    int blocks            = 0;
    std::optional<plan<grouped_conv_fwd::operation>> first, second;
};

struct operation
{
    static constexpr const char* name      = "grouped_conv_conv_fwd";
    static constexpr const char* word      = "conv_conv";
    static constexpr const char* support[] = {"round", "grouped_conv/repack", "grouped_conv/forward_reference"};
    static constexpr bool splits_reduction = false;
    static constexpr const char* composed  = "grouped_conv_conv_fwd_two_launches"; // one convolution after the other

    using problem  = grouped_conv_conv_fwd::problem;
    using config   = grouped_conv_conv_fwd::config;
    using tensors  = grouped_conv_conv_fwd::tensors;
    using schedule = grouped_conv_conv_fwd::schedule;

    static status validate(const problem& p) { return grouped_conv_conv_fwd::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2], at[3], at[4], at[5]}; }
    static double floor_bytes(const problem& p); // each input read once, Y written once
    static double flops(const problem& p);

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static result<plan<operation>> compose_on(const device& dev, plan<operation> unchosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);
    static std::size_t reference_workspace_bytes(const problem& p);

    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static problem reference_problem(problem p); // in fp32, its intermediate rounded as p's
    static problem magnitude_problem(problem p); // without the activation
    static void finish_magnitudes(const problem& p, const harness::tensor_set& absolute,
                                  std::vector<reference_values>& results);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::grouped_conv_conv_fwd
