// SPDX-License-Identifier: MIT
// Average pooling, backward: the operation's description. ops/operation.hpp makes plan and run of it.
#pragma once

#include "ops/avgpool/problem.hpp"
#include "ops/avgpool_bwd/config.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

namespace ck_tile::avgpool_bwd
{

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* dout; // dY, the gradient of the output
    void* din;        // dX, the result
};

// How dX is shared out.
struct schedule
{
    multi_index<2> patches; // of an image
    int patch_rows;         // of one
    multi_index<2> reach;   // for any window, windows that reach one, at most
    std::int64_t blocks_per_image;
};

struct operation
{
    static constexpr const char* name      = "avgpool_bwd";
    static constexpr const char* support[] = {"reference"};
    static constexpr bool splits_reduction = false;

    using problem  = avgpool::problem;
    using config   = avgpool_bwd::config;
    using tensors  = avgpool_bwd::tensors;
    using schedule = avgpool_bwd::schedule;

    static status validate(const problem& p) { return avgpool::validate(p); }
    static std::vector<tensor_info> tensor_list(const problem& p);
    static tensors bind(std::span<void* const> at) { return {at[0], at[1]}; }
    static double floor_bytes(const problem& p) { return p.tensor_bytes(); }

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

} // namespace ck_tile::avgpool_bwd
