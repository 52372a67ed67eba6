// SPDX-License-Identifier: MIT
// Group norm forward: the host API. Describe the problem, ask what supports it, plan, run.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/groupnorm/plan.hpp"
#include "ops/groupnorm/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm_fwd
{

using groupnorm::problem;

struct instance; // one compiled configuration

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

// What run() will do: one kernel that holds whole groups, or two passes; and the workspace that they need.
struct plan
{
    std::vector<groupnorm::step<instance>> steps;
    std::size_t workspace_bytes = 0;
};

// The configurations compiled into this program for the device's architecture.
std::vector<const instance*> instances(const device& on);

std::string name_of(const instance& i);

// "name" or "name, name": the kernels of a plan.
std::string describe(const plan& what);

// Success, or why this instance cannot compute this problem.
status supports(const instance& i, const problem& p);

// Chooses the instances that move the fewest bytes per compute unit; with `instance_name`, that one does its pass. Rejects
// problems that no instance supports.
result<plan> make_plan(const device& on, const problem& p, std::string_view instance_name = {});

// Queues the kernels of the plan; inv_std = 1 / sqrt(variance + epsilon). `workspace` has at least workspace_bytes bytes of
// device memory. The same problem, plan and inputs give the same bits on every run.
status run(const device& on, const problem& p, const plan& what, const tensors& data, float epsilon, void* workspace);

// The same by the reference kernel: one thread per output, no tiles, fp32 sums in scan order.
status run_reference(const device& on, const problem& p, const tensors& data, float epsilon);

} // namespace ck_tile::groupnorm_fwd
