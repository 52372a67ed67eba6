// SPDX-License-Identifier: MIT
// Max-pooling, backward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/harness/tensor_set.hpp"
#include "ops/maxpool/problem.hpp"
#include "ops/maxpool_bwd/config.hpp"
#include "ops/maxpool_fwd/operation.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

#include <optional>

namespace ck_tile::maxpool_bwd
{

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* dout;    // dY, the gradient of the output
    const void* indices; // of the maxima, of the problem's kind; not read for indices::recompute
    const void* in;      // X, the input of the forward pass; read for indices::recompute alone
    void* din;           // dX, the result
};

// How dX is shared out.
struct schedule
{
    multi_index<2> patches; // of an image
    multi_index<2> patch;   // rows and columns of one
    multi_index<2> reach;   // for any window, at most how many windows reach one
    std::int64_t blocks_per_image;
    std::optional<plan<maxpool_fwd::operation>> maxima; // the pass that finds recomputed indices, in the workspace
};

struct operation
{
    static constexpr const char* name      = "maxpool_bwd";
    static constexpr const char* word      = "pool_bwd";
    static constexpr const char* support[] = {"reference"};
    static constexpr bool splits_reduction = false;

    using problem  = maxpool::problem;
    using config   = maxpool_bwd::config;
    using tensors  = maxpool_bwd::tensors;
    using schedule = maxpool_bwd::schedule;

    static status validate(const problem& p) { return maxpool::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1], at[2], at[4]}; }
    static double floor_bytes(const problem& p) { return p.backward_floor_bytes(); }

    static status supports(const config& c, const problem& p);
    static result<plan<operation>> schedule_on(const device& dev, plan<operation> chosen);
    static std::vector<launch> launches(const plan<operation>& planned, const tensors& data, void* workspace);
    static std::vector<launch> reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace);
    static status reference_supports(const problem& p);

    static void derive_inputs(const problem& p, harness::tensor_set& set); // indices (and out), of `in`
    static status accept_inputs(const problem& p, harness::tensor_set& set);
    static std::vector<reference_values> reference(const problem& p, const harness::tensor_set& set);
    static problem reference_problem(problem p);

    static std::span<const instance<operation>> instances();
    static std::span<const support_kernels<operation>> support_sets();
    static std::span<const shipped_table> shipped_tables();
};

} // namespace ck_tile::maxpool_bwd
