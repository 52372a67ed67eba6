// SPDX-License-Identifier: MIT
// Grouped convolution, backward data: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/grouped_conv/backward.hpp"
#include "ops/grouped_conv/schedule.hpp"
#include "ops/grouped_conv_bwd_data/config.hpp"
#include "ops/narrow_conv_bwd_data/operation.hpp"

namespace ck_tile::grouped_conv_bwd_data
{

using tensors = conv::backward_data_tensors;

struct operation : conv::backward_data
{
    static constexpr const char* name      = "grouped_conv_bwd_data";
    static constexpr const char* word      = "dgrad";
    static constexpr const char* support[] = {"grouped_conv/sum", "grouped_conv/repack",
                                              "grouped_conv/backward_data_reference"};
    static constexpr bool splits_reduction = true;

    using problem      = conv::problem;
    using config       = grouped_conv_bwd_data::config;
    using formulations = ck_tile::formulations<narrow_conv_bwd_data::operation>;
    using tensors      = grouped_conv_bwd_data::tensors;
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

} // namespace ck_tile::grouped_conv_bwd_data
