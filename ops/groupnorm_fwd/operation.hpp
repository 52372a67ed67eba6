// SPDX-License-Identifier: MIT
// Group norm forward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/groupnorm/host.hpp"
#include "ops/groupnorm/problem.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

namespace ck_tile::groupnorm_fwd
{

struct problem : groupnorm::problem
{
    float epsilon;

    problem(const groupnorm::problem& p = {}, float of_variance = 1e-5f) : groupnorm::problem(p), epsilon(of_variance)
    {
    }
};

void visit_fields(auto& p, auto&& v)
requires std::same_as<std::remove_const_t<std::remove_reference_t<decltype(p)>>, problem>
{
    groupnorm::visit_base(p, v);
    v.real("epsilon", p.epsilon);
}

// A valid group normalisation with an epsilon that keeps inv_std a number.
status validate(const problem& p);

// The tensors of a problem in device memory, packed as the problem's layout says, 16-byte aligned. gamma and beta have the
// problem's type, mean and inv_std are fp32.
struct tensors
{
    const void* x;
    const void* gamma; // null: all ones
    const void* beta;  // null: all zeros
    void* y;
    float* mean; // results, like y
    float* inv_std;
};

struct operation
{
    static constexpr const char* name      = "groupnorm_fwd";
    static constexpr const char* word      = "gn_fwd";
    static constexpr const char* support[] = {"finish", "reference"};
    static constexpr bool splits_reduction = false;

    using problem  = groupnorm_fwd::problem;
    using config   = groupnorm::config;
    using tensors  = groupnorm_fwd::tensors;
    using schedule = groupnorm::passes<operation>;

    static status validate(const problem& p) { return groupnorm_fwd::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at);
    static double floor_bytes(const problem& p); // of x read and y written once

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<std::string_view> instances_of(const plan<operation>& planned)
    {
        return planned.schedule.names();
    }
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static void make_absolute(const problem&, harness::tensor_set&) {} // errors of the mean count in y's magnitude
    static void finish_magnitudes(const problem& p, const harness::tensor_set& set,
                                  std::vector<reference_values>& results);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::groupnorm_fwd
