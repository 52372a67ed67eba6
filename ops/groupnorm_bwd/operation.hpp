// SPDX-License-Identifier: MIT
// Group norm backward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/groupnorm/host.hpp"
#include "ops/groupnorm/problem.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

namespace ck_tile::groupnorm_bwd
{

// Which gradients are wanted.
struct gradients
{
    bool dx     = true;
    bool dgamma = true;
    bool dbeta  = true;

    bool parameters() const { return dgamma || dbeta; }
};

struct problem : groupnorm::problem
{
    gradients wanted;

    problem(const groupnorm::problem& p = {}, const gradients& outputs = {}) : groupnorm::problem(p), wanted(outputs) {}
};

void visit_fields(auto& p, auto&& v)
requires std::same_as<std::remove_const_t<std::remove_reference_t<decltype(p)>>, problem>
{
    groupnorm::visit_base(p, v);
    v.flag("dx", p.wanted.dx);
    v.flag("dgamma", p.wanted.dgamma);
    v.flag("dbeta", p.wanted.dbeta);
}

// A valid group normalisation of which some gradient is wanted.
status validate(const problem& p);

// The tensors of a problem in device memory, packed as the problem's layout says, 16-byte aligned. gamma, dgamma and dbeta
// have the problem's type, mean and inv_std are fp32.
struct tensors
{
    const void* x;
    const void* dy;
    const void* gamma; // null: all ones
    const float* mean;
    const float* inv_std; // 1 / sqrt(variance + epsilon), as the forward pass has used it
    void* dx;             // null: not wanted, as the problem says
    void* dgamma;
    void* dbeta;
};

struct operation
{
    static constexpr const char* name      = "groupnorm_bwd";
    static constexpr const char* word      = "gn_bwd";
    static constexpr const char* support[] = {"finish", "reference"};
    static constexpr bool splits_reduction = false;

    using problem  = groupnorm_bwd::problem;
    using config   = groupnorm::config;
    using tensors  = groupnorm_bwd::tensors;
    using schedule = groupnorm::passes<operation>;

    static status validate(const problem& p) { return groupnorm_bwd::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at);
    static double floor_bytes(const problem& p); // of x and dy read and dx written once

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<std::string_view> instances_of(const plan<operation>& planned)
    {
        return planned.schedule.names();
    }
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::size_t reference_workspace_bytes(const problem& p);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);

    static void derive_inputs(const problem& p, harness::tensor_set& set); // mean and inv_std, of x
    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static void make_absolute(const problem& p, harness::tensor_set& set);
    static void finish_magnitudes(const problem& p, const harness::tensor_set& absolute,
                                  std::vector<reference_values>& results);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::groupnorm_bwd
