// SPDX-License-Identifier: MIT
// Depthwise convolution, forward: the operation's description. ops/operation.hpp makes plan and run of it. What it is is what
// grouped_conv_fwd is of groups of one channel, and its plans are plans of that, too.
#pragma once

#include "ops/grouped_conv/forward.hpp"
#include "ops/grouped_conv/narrow_plan.hpp"
#include "ops/narrow_conv_fwd/config.hpp"

namespace ck_tile::narrow_conv_fwd
{

struct problem : conv::forward_problem
{
    problem(
        const conv::forward_problem& p = conv::problem{.spatial = 2, .groups = 128, .k = 1, .c = 1, .filter = {3, 3}})
        : conv::forward_problem(p)
    {
    }
};

struct operation : conv::forward
{
    static constexpr const char* name      = "narrow_conv_fwd";
    static constexpr const char* word      = "narrow_fprop";
    static constexpr const char* support[] = {"grouped_conv/repack", "grouped_conv/forward_reference"};
    static constexpr bool splits_reduction = false;

    using problem  = narrow_conv_fwd::problem;
    using config   = narrow_conv_fwd::config;
    using schedule = conv::narrow_schedule;

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::narrow_conv_fwd
