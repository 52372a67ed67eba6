// SPDX-License-Identifier: MIT
// The operation's description: y = factor * x.
#pragma once

#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"
#include "ops/scale/config.hpp"

namespace ck_tile::scale
{

struct problem
{
    std::int64_t elements = 1000;
    float factor          = 2;
    data_type type        = data_type::fp16;
};

// The fields by name: see ops/problem_fields.hpp.
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    v.number("N", p.elements);
    v.real("factor", p.factor);
    v.choice("dtype", p.type);
}

status validate(const problem& p);
std::string describe(const problem& p);

struct tensors
{
    const void* x;
    void* y;
};

struct schedule
{};

struct operation
{
    static constexpr const char* name      = "scale";
    static constexpr const char* support[] = {"reference"};
    static constexpr bool splits_reduction = false;

    using problem  = scale::problem;
    using config   = scale::config;
    using tensors  = scale::tensors;
    using schedule = scale::schedule;

    static status validate(const problem& p) { return scale::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1]}; }
    static double floor_bytes(const problem& p) { return 2.0 * static_cast<double>(p.elements) * bytes_of(p.type); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);
    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::scale
