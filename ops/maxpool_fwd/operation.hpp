// SPDX-License-Identifier: MIT
// Max-pooling, forward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/harness/tensor_set.hpp"
#include "ops/maxpool/problem.hpp"
#include "ops/maxpool_fwd/config.hpp"
#include "ops/operation.hpp"
#include "ops/pooling/forward_schedule.hpp"
#include "ops/reference.hpp"

namespace ck_tile::maxpool_fwd
{

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned. The output
// and the indices are each optional: null is not written.
struct tensors
{
    const void* in;
    void* out;
    void* indices; // of the problem's kind; not written for indices::recompute
};

using schedule = pooling::forward_schedule;

struct operation
{
    static constexpr const char* name      = "maxpool_fwd";
    static constexpr const char* word      = "pool_fwd";
    static constexpr const char* support[] = {"reference"};
    static constexpr bool splits_reduction = false;

    using problem  = maxpool::problem;
    using config   = maxpool_fwd::config;
    using tensors  = maxpool_fwd::tensors;
    using schedule = maxpool_fwd::schedule;

    static status validate(const problem& p) { return maxpool::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2]}; }
    static double floor_bytes(const problem& p) { return p.forward_floor_bytes(); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);
    static status reference_supports(const problem& p);

    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static problem reference_problem(problem p);
    static void make_absolute(const problem&, harness::tensor_set&) {} // results are exact
    static std::vector<std::int64_t> integers_of(const problem& p, const harness::host_tensor& indices);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::maxpool_fwd
