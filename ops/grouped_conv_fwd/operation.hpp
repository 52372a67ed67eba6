// SPDX-License-Identifier: MIT
// Grouped convolution, forward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/grouped_conv/forward.hpp"
#include "ops/grouped_conv/schedule.hpp"
#include "ops/grouped_conv_fwd/config.hpp"
#include "ops/narrow_conv_fwd/operation.hpp"

namespace ck_tile::grouped_conv_fwd
{

using problem = conv::forward_problem;
using tensors = conv::forward_tensors;

struct operation : conv::forward
{
    static constexpr const char* name      = "grouped_conv_fwd";
    static constexpr const char* word      = "fprop";
    static constexpr const char* support[] = {"sum", "grouped_conv/repack", "grouped_conv/forward_reference"};
    static constexpr bool splits_reduction = true;

    using problem      = grouped_conv_fwd::problem;
    using config       = grouped_conv_fwd::config;
    using formulations = ck_tile::formulations<narrow_conv_fwd::operation>;
    using tensors      = grouped_conv_fwd::tensors;
    using schedule     = conv::schedule;

    static problem matrix_product(data_type type) { return conv::matrix_product(type); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::grouped_conv_fwd
