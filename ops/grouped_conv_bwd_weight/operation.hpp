// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/schedule.hpp"
#include "ops/grouped_conv_bwd_weight/config.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* in;  // X
    const void* out; // dY, the gradient of the output
    void* wei;       // dW, the result
};

struct operation
{
    static constexpr const char* name      = "grouped_conv_bwd_weight";
    static constexpr const char* support[] = {"sum", "repack", "reference"};
    static constexpr bool splits_reduction = true;

    using problem  = conv::problem;
    using config   = grouped_conv_bwd_weight::config;
    using tensors  = grouped_conv_bwd_weight::tensors;
    using schedule = conv::schedule;

    static status validate(const problem& p) { return conv::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2]}; }
    static double floor_bytes(const problem& p) { return p.floor_bytes(); }
    static double flops(const problem& p) { return p.flops(); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
};

} // namespace ck_tile::grouped_conv_bwd_weight
